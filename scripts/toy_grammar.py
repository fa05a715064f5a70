#!/usr/bin/env python3
"""Makes the sentences that the toy transformer learns from, and those it is tested on.

A small grammar of English, written for this purpose: animals, food, things, places, sights, names.
Every sentence comes with the kind of each word and with its true relations as (query, key) pairs of
word indices. The relations are only for testing: training sees the words alone.

  verb-subject            a verb looks at the noun or name that acts
  verb-object             a verb looks at the noun or name that is acted on
  object-verb             the same pair, seen from the object
  pronoun-noun            "it", "they" look at the noun they stand for
  concept                 a word of a sight ("Eiffel", "tower", "Paris") looks at its other words
  name                    the second mention of a name looks at the first
  relative-pronoun-noun   "that", "who", "which" look at the noun they stand for
  determiner-noun         "the", "every", "three" look at their noun
  adjective-noun          an adjective looks at the noun it describes, before it or after a copula

In a relative clause the noun outside it takes part: in "the cat that chased the dog" the subject of
"chased" is "cat", in "the cat that the dog chased" the object of "chased" is "cat". An adjective
after a pronoun ("it was hungry") describes the pronoun and is not counted.

Held out: combinations of words (subject, verb, object; adjective, noun; noun, state) are divided by
a checksum. A training sentence has no held-out combination, a held-out sentence at least one.

  toy_grammar.py --show 10        print training sentences with their relations
  toy_grammar.py --write DIR      write heldout-pick.ndjson, heldout-report.ndjson, twins.json
"""

import argparse
import json
import random
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

RELATIONS = [
    "verb-subject",
    "verb-object",
    "object-verb",
    "pronoun-noun",
    "concept",
    "name",
    "relative-pronoun-noun",
    "determiner-noun",
    "adjective-noun",
]

MAX_WORDS = 31  # with [bos] in front: 32 positions

# ---------------------------------------------------------------------------------------------
# Words. "mouse/mice" gives an irregular plural.

NOUNS = {
    "animal": "creature dog cat fox/foxes bear wolf/wolves lion mouse/mice horse rabbit bird monkey/monkeys "
    "dragon snake goat pig cow tiger spider squirrel frog duck camel kitten",
    "food": "berry/berries apple cake carrot cookie melon pear nut egg pie cherry/cherries potato/potatoes "
    "plum sausage pancake",
    "thing": "stone box/boxes lamp chair basket bottle drum kite hat bell wagon mirror rope blanket vase ladder",
}
PLACES = (
    "river forest garden village barn hill lake cave meadow castle market shore kitchen road island".split()
)

# base, third person, past; kinds of subject and object.
VERBS = """
eat eats ate animal food
smell smells smelled animal food
steal steals stole animal food
swallow swallows swallowed animal food
taste tastes tasted animal food
nibble nibbles nibbled animal food
bury buries buried animal food
chase chases chased animal animal
scare scares scared animal animal
follow follows followed animal animal
watch watches watched animal animal
bite bites bit animal animal
help helps helped animal animal
greet greets greeted animal animal
push pushes pushed animal thing
carry carries carried animal thing
hide hides hid animal thing
drop drops dropped animal thing
break breaks broke animal thing
kick kicks kicked animal thing
crush crushes crushed thing food
cover covers covered thing thing
touch touches touched thing thing
stain stains stained food thing
visit visits visited animal sight
admire admires admired animal sight
sketch sketches sketched animal sight
"""

STATES = {
    "animal": "hungry tired afraid angry happy thirsty lonely sick curious sleepy proud nervous".split(),
    "food": "ripe sweet sour rotten tasty fresh delicious bitter salty juicy".split(),
    "thing": "broken heavy dusty fragile cheap empty useful rusty loud wet".split(),
}
ADJECTIVES = {
    "animal": "fluffy small big brown clever lazy wild brave gentle quick shy young noisy grey tiny fierce",
    "food": "red green soft golden warm crunchy frozen plump shiny small big",
    "thing": "wooden blue old round yellow huge striped metal narrow plain painted black",
    "place": "dark quiet distant misty sunny deep ancient busy old",
    "sight": "famous tall ancient old",
}
ADJECTIVES = {kind: words.split() for kind, words in ADJECTIVES.items()}

ADVERBS = (
    "happily quickly slowly often never quietly always suddenly secretly gladly rarely calmly".split()
)
PLACE_PREPOSITIONS = "near in behind from beside under across".split()
ANIMAL_PREPOSITIONS = "with behind near beside".split()
CONJUNCTIONS = "because because because because since when while although".split()
CLAUSE_CONJUNCTIONS = "and before but while when".split()
DETERMINERS = {
    False: ["the"] * 9 + ["a"] * 4 + ["this", "this", "every", "every"],
    True: ["the"] * 9 + ["some", "some", "these", "these", "many", "three", "two"],
}
AGREEING_COPULAS = {(False, False): "is", (False, True): "are", (True, False): "was", (True, True): "were"}
FREE_COPULAS = ["seemed", "looked", "felt"]  # say nothing about the number
NAMES = "Anna Tom Mary Peter Lucy Paul Emma Max Nina Oscar Julia Leo Clara Felix".split()
# name of the sight, its noun, where it stands
SIGHTS = [
    ("Eiffel", "tower", "Paris"),
    ("Brooklyn", "bridge", "Manhattan"),
    ("Sahara", "desert", "Africa"),
    ("Fuji", "volcano", "Japan"),
    ("Nile", "delta", "Egypt"),
    ("Everest", "summit", "Nepal"),
    ("Buckingham", "palace", "London"),
    ("Niagara", "waterfall", "Canada"),
]
SPECIAL_TOKENS = ["[pad]", "[unk]", "[mask]", "[bos]"]


def plural_of(entry):
    """Splits a NOUNS entry: (singular, plural)."""
    singular, _, plural = entry.partition("/")
    return singular, plural or singular + "s"


@dataclass(frozen=True)
class Noun:
    """A noun with its kind and both forms."""

    singular: str
    plural: str
    kind: str

    def form(self, is_plural):
        """Returns the form of that number."""
        return self.plural if is_plural else self.singular


@dataclass(frozen=True)
class Verb:
    """A transitive verb with the kinds of its arguments."""

    base: str
    third: str
    past: str
    subject: str
    object: str

    def form(self, is_plural, is_past):
        """Returns the form that agrees with a subject of that number."""
        return self.past if is_past else self.base if is_plural else self.third


ALL_NOUNS = {
    kind: [Noun(*plural_of(entry), kind) for entry in words.split()] for kind, words in NOUNS.items()
}
ALL_VERBS = [Verb(*line.split()) for line in VERBS.strip().splitlines()]


def vocabulary():
    """Returns all words of the grammar in a fixed order, special tokens first."""
    words = list(SPECIAL_TOKENS)
    words += [",", "it", "they", "that", "who", "which", "very", "really", "a", "an"]
    words += ["the", "this", "every", "some", "these", "many", "three", "two"]
    words += CONJUNCTIONS + CLAUSE_CONJUNCTIONS + PLACE_PREPOSITIONS + ANIMAL_PREPOSITIONS
    words += list(AGREEING_COPULAS.values()) + FREE_COPULAS + ADVERBS
    words += [form for nouns in ALL_NOUNS.values() for n in nouns for form in (n.singular, n.plural)]
    words += PLACES + [form for v in ALL_VERBS for form in (v.base, v.third, v.past)]
    words += [a for group in (STATES, ADJECTIVES) for words_ in group.values() for a in words_]
    words += NAMES + [word for sight in SIGHTS for word in sight]
    return list(dict.fromkeys(words))


# ---------------------------------------------------------------------------------------------
# Preferences: which words go together more often than others.

PREFERENCE = 16  # a preferred word is that many times as likely as another


def prefer(rng, items, count, known=()):
    """Draws `count` preferred items; those in `known` come first."""
    rest = [item for item in items if item not in known]
    return (list(known) + rng.sample(rest, min(count, len(rest))))[:count]


class Preferences:
    """The preferred adjectives and states of nouns, and subjects and objects of verbs."""

    KNOWN_ADJECTIVES = {"creature": ["fluffy"], "berry": ["red"], "bear": ["big"], "chair": ["wooden"]}
    KNOWN_STATES = {"creature": ["hungry"], "berry": ["ripe"], "vase": ["fragile"]}
    KNOWN_SUBJECTS = {"eat": ["creature"], "chase": ["dog"], "bite": ["snake"]}
    KNOWN_OBJECTS = {"eat": ["berry"], "chase": ["cat"], "break": ["vase"]}

    def __init__(self, seed=20):
        rng = random.Random(seed)
        self.adjectives, self.states, self.subjects, self.objects = {}, {}, {}, {}
        for noun in (n for nouns in ALL_NOUNS.values() for n in nouns):
            name = noun.singular
            known = self.KNOWN_ADJECTIVES.get(name, [])
            self.adjectives[name] = prefer(rng, ADJECTIVES[noun.kind], 2, known)
            self.states[name] = prefer(rng, STATES[noun.kind], 2, self.KNOWN_STATES.get(name, []))
        for place in PLACES:
            self.adjectives[place] = prefer(rng, ADJECTIVES["place"], 2)
        for sight in SIGHTS:
            self.adjectives[sight[1]] = prefer(rng, ADJECTIVES["sight"], 1)
        for verb in ALL_VERBS:
            self.subjects[verb.base] = self._arguments(rng, verb.subject, verb.base, self.KNOWN_SUBJECTS)
            self.objects[verb.base] = self._arguments(rng, verb.object, verb.base, self.KNOWN_OBJECTS)

    @staticmethod
    def _arguments(rng, kind, verb, known):
        names = [s[1] for s in SIGHTS] if kind == "sight" else [n.singular for n in ALL_NOUNS[kind]]
        return prefer(rng, names, 3, known.get(verb, []))


def weighted(rng, items, preferred):
    """Draws one of `items`; those in `preferred` are PREFERENCE times as likely."""
    return rng.choices(items, [PREFERENCE if item in preferred else 1 for item in items])[0]


# ---------------------------------------------------------------------------------------------
# Sentences


@dataclass
class Phrase:
    """What later words need to know about a noun phrase that has been written."""

    index: int  # of its noun
    noun: object  # Noun, or None for a name, a place, a sight
    key: str  # singular, for preferences and combinations
    kind: str
    is_plural: bool


@dataclass
class Sentence:
    """Words, their kinds, their relations as word indices, and the combinations that occur."""

    words: list = field(default_factory=list)
    kinds: list = field(default_factory=list)
    relations: dict = field(default_factory=dict)  # name: [(query, key), ...]
    combinations: set = field(default_factory=set)
    phrases: list = field(default_factory=list)
    pronoun_copulas: dict = field(default_factory=dict)  # index of a pronoun: index of its copula

    def add(self, word, kind):
        """Appends a word and returns its index."""
        self.words.append(word)
        self.kinds.append(kind)
        return len(self.words) - 1

    def relate(self, name, query, key):
        """Adds one pair to a relation."""
        self.relations.setdefault(name, []).append((query, key))

    def text(self):
        """Returns the words with spaces between."""
        return " ".join(self.words)

    def has_held_out(self):
        """Says whether a held-out combination occurs."""
        return any(is_held_out(c) for c in self.combinations)


HELD_OUT_SHARES = {"svo": 6, "adjective": 14, "state": 14}  # one in so many is held out


def is_held_out(combination):
    """Decides by checksum, the same in every run: (sort, word, word, ...)."""
    share = HELD_OUT_SHARES[combination[0]]
    return zlib.crc32(" ".join(combination).encode()) % share == 0


class Grammar:
    """Writes random sentences. One object serves many sentences; all chance comes from `rng`."""

    def __init__(self, rng):
        self.rng = rng
        self.preferences = Preferences()

    def chance(self, p):
        """True with probability p."""
        return self.rng.random() < p

    # -- noun phrases

    def adjectives(self, s, kind, key):
        """Writes 0 to 2 adjectives before a noun; returns their indices."""
        count = self.rng.choices([0, 1, 2], [0.30, 0.35, 0.35])[0]
        pool = ADJECTIVES[kind]
        chosen = []
        while len(chosen) < count:
            word = weighted(self.rng, pool, self.preferences.adjectives[key])
            if word not in chosen:
                chosen.append(word)
        indices = []
        for n, word in enumerate(chosen):
            if n == 1 and self.chance(0.6):
                s.add(*self.rng.choice([("and", "conjunction"), ("and", "conjunction"), (",", "conjunction")]))
            if self.chance(0.15):
                s.add(self.rng.choice(["very", "really"]), "adverb")
            indices.append(s.add(word, "adjective"))
            s.combinations.add(("adjective", word, key))
        return indices

    def noun_phrase(self, s, noun, is_plural):
        """Writes determiner, adjectives, noun. A Noun, or the text of a place."""
        is_place = isinstance(noun, str)
        key, kind = (noun, "place") if is_place else (noun.singular, noun.kind)
        determiner = s.add(self.rng.choice(DETERMINERS[is_plural]), "determiner")
        adjectives = self.adjectives(s, kind, key)
        index = s.add(noun if is_place else noun.form(is_plural), "noun")
        self.finish_phrase(s, determiner, adjectives, index)
        phrase = Phrase(index, None if is_place else noun, key, kind, is_plural)
        s.phrases.append(phrase)
        return phrase

    @staticmethod
    def finish_phrase(s, determiner, adjectives, index):
        """Writes "an" for "a" before a vowel, and the relations inside a noun phrase."""
        if s.words[determiner] == "a" and s.words[determiner + 1][0] in "aeiouAEIO":
            s.words[determiner] = "an"
        s.relate("determiner-noun", determiner, index)
        for adjective in adjectives:
            s.relate("adjective-noun", adjective, index)

    def sight_phrase(self, s, sight):
        """Writes "the famous Eiffel tower in Paris" or a part of it; returns its phrase."""
        name, noun, place = sight
        shape = self.rng.choice(["all", "all", "no place", "no name"])
        written = []
        if shape != "no name" and self.chance(0.3):
            s.add("in", "preposition")  # "Anna admired in Paris the Eiffel tower"
            written.append(s.add(place, "concept"))
            shape = "no place"
        determiner = s.add("the", "determiner")
        adjectives = self.adjectives(s, "sight", noun)
        if shape != "no name":
            written.append(s.add(name, "concept"))
        index = s.add(noun, "concept")
        written.append(index)
        self.finish_phrase(s, determiner, adjectives, index)
        if shape != "no place":
            if self.chance(0.4):
                self.place(s)
            s.add("in", "preposition")
            written.append(s.add(place, "concept"))
        self.relate_all(s, written)
        return Phrase(index, None, noun, "sight", False), written

    @staticmethod
    def relate_all(s, indices):
        """Every concept word looks at every other of its sight."""
        for query in indices:
            for key in indices:
                if query != key:
                    s.relate("concept", query, key)

    def place(self, s):
        """Writes "near the quiet river"."""
        s.add(self.rng.choice(PLACE_PREPOSITIONS), "preposition")
        self.noun_phrase(s, self.rng.choice(PLACES), False)

    def company(self, s, is_plural):
        """Writes "with the dogs"."""
        s.add(self.rng.choice(ANIMAL_PREPOSITIONS), "preposition")
        self.noun_phrase(s, self.rng.choice(ALL_NOUNS["animal"]), is_plural)

    def prepositional_phrase(self, s, phrase):
        """Writes a phrase after a noun; an animal in it is of the other number than the noun."""
        if phrase.kind == "animal" and self.chance(0.2):
            self.company(s, not phrase.is_plural)
        else:
            self.place(s)

    def verb_for(self, noun, role):
        """Draws a verb that takes this noun in that role ("subject" or "object")."""
        verbs = [v for v in ALL_VERBS if getattr(v, role) == noun.kind and v.object != "sight"]
        table = getattr(self.preferences, role + "s")
        preferred = [v for v in verbs if noun.singular in table[v.base]]
        return weighted(self.rng, verbs, preferred)

    def argument_of(self, verb, role, avoid=()):
        """Draws a noun that this verb takes in that role."""
        nouns = [n for n in ALL_NOUNS[getattr(verb, role)] if n.singular not in avoid]
        preferred = [n for n in nouns if n.singular in getattr(self.preferences, role + "s")[verb.base]]
        return weighted(self.rng, nouns, preferred)

    def relative_clause(self, s, phrase, is_past):
        """Writes "that chased the cats" or "that the cats chased" after a phrase."""
        by_kind = "who" if phrase.kind == "animal" else "which"
        word = s.add("that" if self.chance(0.4) else by_kind, "relative")
        s.relate("relative-pronoun-noun", word, phrase.index)
        if phrase.kind != "animal" or self.chance(0.25):
            self.object_relative(s, phrase, is_past)
            return
        verb = self.verb_for(phrase.noun, "subject")
        index = s.add(verb.form(phrase.is_plural, is_past), "verb")
        other = self.argument_of(verb, "object", {phrase.key})
        other = self.noun_phrase(s, other, self.unlike(phrase.is_plural))
        self.relate_clause(s, verb, index, phrase, other)

    def object_relative(self, s, phrase, is_past):
        """Writes "the cats chased" after the relative pronoun."""
        verb = self.verb_for(phrase.noun, "object")
        other = self.argument_of(verb, "subject", {phrase.key})
        other = self.noun_phrase(s, other, self.unlike(phrase.is_plural))
        index = s.add(verb.form(other.is_plural, is_past), "verb")
        self.relate_clause(s, verb, index, other, phrase)

    def unlike(self, is_plural):
        """The other number in 70 of 100."""
        return is_plural != self.chance(0.7)

    @staticmethod
    def relate_clause(s, verb, index, subject, thing):
        """Writes the relations of a verb and notes the combination."""
        s.relate("verb-subject", index, subject.index)
        s.relate("verb-object", index, thing.index)
        s.relate("object-verb", thing.index, index)
        s.combinations.add(("svo", subject.key, verb.base, thing.key))

    def modifiers(self, s, phrase, is_past):
        """Writes what stands between a subject and its verb: in 8 of 10 something does."""
        shape = self.rng.choices(["", "p", "r", "pr"], [0.2, 0.3, 0.2, 0.3])[0]
        if "p" in shape:
            self.prepositional_phrase(s, phrase)
        if "r" in shape:
            self.relative_clause(s, phrase, is_past)

    # -- clauses

    def name_phrase(self, s, name):
        """Writes a name."""
        return Phrase(s.add(name, "name"), None, name, "name", False)

    def verb_phrase(self, s, subject, verb, is_past):
        """Writes adverb, verb, object; returns the phrase of the object."""
        if self.chance(0.4):
            s.add(self.rng.choice(ADVERBS), "adverb")
        index = s.add(verb.form(subject.is_plural, is_past), "verb")
        if verb.object == "sight":
            nouns = [sight[1] for sight in SIGHTS]
            noun = weighted(self.rng, nouns, self.preferences.objects[verb.base])
            thing, _ = self.sight_phrase(s, SIGHTS[nouns.index(noun)])
        else:
            noun = self.argument_of(verb, "object", {subject.key})
            thing = self.noun_phrase(s, noun, self.unlike(subject.is_plural))
        self.relate_clause(s, verb, index, subject, thing)
        return thing

    def subject_phrase(self, s, verb, is_past):
        """Writes the subject of a main verb with what follows it."""
        noun = self.argument_of(verb, "subject")
        subject = self.noun_phrase(s, noun, self.chance(0.5))
        self.modifiers(s, subject, is_past)
        return subject

    def pronoun_clause(self, s, choices, is_past):
        """Writes "because it was very hungry"; None when no phrase of `choices` is the only fit."""
        fits = [p for p in choices if self.is_unique(s, p)]
        if not fits:
            return None
        phrase = self.rng.choice(fits)
        s.add(self.rng.choice(CONJUNCTIONS), "conjunction")
        pronoun = s.add("they" if phrase.is_plural else "it", "pronoun")
        is_free = is_past and self.chance(0.75)
        agreeing = AGREEING_COPULAS[(is_past, phrase.is_plural)]
        copula = s.add(self.rng.choice(FREE_COPULAS) if is_free else agreeing, "copula")
        s.pronoun_copulas[pronoun] = copula
        if self.chance(0.2):
            s.add(self.rng.choice(["very", "really"]), "adverb")
        state = weighted(self.rng, STATES[phrase.kind], self.preferences.states[phrase.key])
        s.add(state, "state")
        s.combinations.add(("state", phrase.key, state))
        s.relate("pronoun-noun", pronoun, phrase.index)
        return phrase

    @staticmethod
    def is_unique(s, phrase):
        """Says whether no other noun of the sentence has the kind and number of this phrase."""
        same = [p for p in s.phrases if p.kind == phrase.kind and p.is_plural == phrase.is_plural]
        return phrase.kind in STATES and len(same) == 1

    # -- kinds of sentences

    def action(self, with_pronoun):
        """ "the cat near the river chased the mice", perhaps "because they were afraid"."""
        s = Sentence()
        is_past = self.chance(0.8 if with_pronoun else 0.25)
        verb = self.rng.choice([v for v in ALL_VERBS if v.object != "sight"])
        subject = self.subject_phrase(s, verb, is_past)
        thing = self.verb_phrase(s, subject, verb, is_past)
        if self.chance(0.25):
            self.prepositional_phrase(s, thing)
        if with_pronoun and self.pronoun_clause(s, [subject, thing], is_past) is None:
            return None
        return s

    def description(self):
        """ "the berries that the fox stole were ripe"."""
        s = Sentence()
        is_past = self.chance(0.4)
        noun = self.rng.choice(ALL_NOUNS[self.rng.choice(["animal", "food", "thing"])])
        subject = self.noun_phrase(s, noun, self.chance(0.5))
        self.modifiers(s, subject, is_past)
        is_free = is_past and self.chance(0.4)
        agreeing = AGREEING_COPULAS[(is_past, subject.is_plural)]
        s.add(self.rng.choice(FREE_COPULAS) if is_free else agreeing, "copula")
        if self.chance(0.2):
            s.add(self.rng.choice(["very", "really"]), "adverb")
        state = weighted(self.rng, STATES[subject.kind], self.preferences.states[subject.key])
        s.relate("adjective-noun", s.add(state, "state"), subject.index)
        s.combinations.add(("state", subject.key, state))
        return s

    def sight(self):
        """ "Anna visited the tall Eiffel tower in Paris", "in Paris the dogs admired the tower"."""
        s = Sentence()
        is_past = self.chance(0.4)
        verb = self.rng.choice([v for v in ALL_VERBS if v.object == "sight"])
        if self.chance(0.35):
            return self.sight_place_first(s, verb, is_past)
        subject = self.sight_subject(s, verb, is_past)
        self.verb_phrase(s, subject, verb, is_past)
        if self.chance(0.2):
            self.place(s)
        return s

    def sight_subject(self, s, verb, is_past):
        """Writes a name or a noun phrase."""
        if self.chance(0.3):
            return self.name_phrase(s, self.rng.choice(NAMES))
        return self.subject_phrase(s, verb, is_past)

    def sight_place_first(self, s, verb, is_past):
        """Writes the place, then the clause with the name and the noun of the sight."""
        name, noun, place = weighted(
            self.rng, SIGHTS, [t for t in SIGHTS if t[1] in self.preferences.objects[verb.base]]
        )
        s.add("in", "preposition")
        written = [s.add(place, "concept")]
        if self.chance(0.5):
            s.add(",", "conjunction")
        subject = self.sight_subject(s, verb, is_past)
        index = s.add(verb.form(subject.is_plural, is_past), "verb")
        determiner = s.add("the", "determiner")
        adjectives = self.adjectives(s, "sight", noun)
        if self.chance(0.6):
            written.append(s.add(name, "concept"))
        thing = Phrase(s.add(noun, "concept"), None, noun, "sight", False)
        written.append(thing.index)
        self.finish_phrase(s, determiner, adjectives, thing.index)
        self.relate_all(s, written)
        self.relate_clause(s, verb, index, subject, thing)
        return s

    def names(self):
        """ "Anna pushed the lamp near the river before Anna ate a pie"."""
        s = Sentence()
        is_past = self.chance(0.4)
        first, other = self.rng.sample(NAMES, 2)
        order = [first, other] if self.chance(0.4) else [first]
        mentions = {}
        for n, name in enumerate(order + [self.rng.choice(order)]):
            if n:
                s.add(self.rng.choice(CLAUSE_CONJUNCTIONS), "conjunction")
            subject = self.name_phrase(s, name)
            if name in mentions:
                s.relate("name", subject.index, mentions[name])
            mentions.setdefault(name, subject.index)
            verb = self.rng.choice([v for v in ALL_VERBS if v.subject == "animal" and v.object != "sight"])
            thing = self.verb_phrase(s, subject, verb, is_past)
            if self.chance(0.3):
                self.prepositional_phrase(s, thing)
        return s

    def draw(self):
        """Writes one sentence, of any sort; tries again when it is too long or without a fit."""
        while True:
            sort = self.rng.choices(["pronoun", "action", "name", "sight", "description"], [58, 10, 12, 12, 8])[0]
            make = {
                "pronoun": lambda: self.action(True),
                "action": lambda: self.action(False),
                "name": self.names,
                "sight": self.sight,
                "description": self.description,
            }[sort]
            s = make()
            for _ in range(20):
                if s is not None and len(s.words) <= MAX_WORDS:
                    return s
                s = make()


# ---------------------------------------------------------------------------------------------
# Sets of sentences

TRAIN_SEED, HELD_OUT_SEED, TWIN_SEED = 1, 2, 3
N_HELD_OUT = 2000  # half to pick heads, half to report


def training_sentences(count, seed=TRAIN_SEED):
    """Returns `count` sentences without a held-out combination."""
    grammar = Grammar(random.Random(seed))
    result = []
    while len(result) < count:
        s = grammar.draw()
        if not s.has_held_out():
            result.append(s)
    return result


def held_out_sentences(count, seed=HELD_OUT_SEED):
    """Returns `count` different sentences with at least one held-out combination each."""
    grammar = Grammar(random.Random(seed))
    result = {}
    while len(result) < count:
        s = grammar.draw()
        if s.has_held_out():
            result.setdefault(s.text(), s)
    return list(result.values())


def make_twin(grammar, by_kind):
    """Writes one pair of sentences that differ in the pronoun (number) or in the state (kind).

    Returns {"sort", "tokens": [a, b], "pronoun": index, "right": [index a, index b]} or None.
    """
    rng, s = grammar.rng, Sentence()
    verb = rng.choice([v for v in ALL_VERBS if v.object in STATES and (v.subject != v.object) == by_kind])
    subject = grammar.noun_phrase(s, grammar.argument_of(verb, "subject"), grammar.chance(0.5))
    grammar.modifiers(s, subject, True)
    if grammar.chance(0.4):
        s.add(rng.choice(ADVERBS), "adverb")
    index = s.add(verb.past, "verb")
    noun = grammar.argument_of(verb, "object", {subject.key})
    thing = grammar.noun_phrase(s, noun, subject.is_plural == by_kind)
    grammar.relate_clause(s, verb, index, subject, thing)
    if not (grammar.is_unique(s, subject) and grammar.is_unique(s, thing)) or len(s.words) > MAX_WORDS - 4:
        return None
    if not s.has_held_out():
        return None
    tails = [["they" if p.is_plural else "it", None, None] for p in (subject, thing)]
    copula = rng.choice(FREE_COPULAS)
    states = [weighted(rng, STATES[p.kind], grammar.preferences.states[p.key]) for p in (subject, thing)]
    if not by_kind:  # a state that neither noun prefers, so that only the number decides
        known = {a for p in (subject, thing) for a in grammar.preferences.states[p.key]}
        states = [rng.choice([a for a in STATES[thing.kind] if a not in known])] * 2
    for tail, state in zip(tails, states):
        tail[1:] = [copula, state]
    return {
        "sort": "kind" if by_kind else "number",
        "tokens": [s.words + ["because"] + tail for tail in tails],
        "pronoun": len(s.words) + 1,
        "right": [subject.index, thing.index],
    }


def twins(count, seed=TWIN_SEED):
    """Returns `count` twins: half by number ("it", "they"), half by kind ("hungry", "ripe")."""
    grammar = Grammar(random.Random(seed))
    result = []
    while len(result) < count:
        twin = make_twin(grammar, by_kind=len(result) % 2 == 1)
        if twin:
            result.append(twin)
    return result


def document(s, number, with_bos):
    """Returns a sentence as an mha-viz input; with [bos], indices move by one."""
    shift = 1 if with_bos else 0
    relations = [
        {"name": name, "pairs": [[q + shift, k + shift] for q, k in s.relations[name]]}
        for name in RELATIONS
        if name in s.relations
    ]
    return {"id": f"toy {number:04d}", "tokens": ["[bos]"] * shift + s.words, "relations": relations}


def write_lines(path, sentences, first, with_bos):
    """Writes sentences as NDJSON, one document a line."""
    lines = [json.dumps(document(s, first + n, with_bos)) for n, s in enumerate(sentences)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_files(folder, count, with_bos):
    """Writes the first `count` sentences of each half of the held-out ones, and the twins."""
    folder.mkdir(parents=True, exist_ok=True)
    sentences = held_out_sentences(N_HELD_OUT)
    half = N_HELD_OUT // 2
    write_lines(folder / "heldout-pick.ndjson", sentences[:half][:count], 0, with_bos)
    write_lines(folder / "heldout-report.ndjson", sentences[half:][:count], half, with_bos)
    lines = ",\n".join(json.dumps(twin) for twin in twins(200))
    (folder / "twins.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def fixed_offset_rate(sentences, name):
    """Returns (rows, best share of rows that one offset gets right, that offset)."""
    hits, rows = Counter(), 0
    for s in sentences:
        keys = {}
        for query, key in s.relations.get(name, []):
            keys.setdefault(query, set()).add(key)
        rows += len(keys)
        hits.update(key - query for query, right in keys.items() for key in right)
    offset, best = hits.most_common(1)[0]
    return rows, best / rows, offset


def show(count):
    """Prints training sentences, the size of the vocabulary and what fixed offsets reach."""
    for s in training_sentences(count):
        print(s.text())
        for name in RELATIONS:
            pairs = [f"{s.words[q]}>{s.words[k]}" for q, k in s.relations.get(name, [])]
            if pairs:
                print(f"    {name}: {' '.join(pairs)}")
    print(f"{len(vocabulary())} words with {len(SPECIAL_TOKENS)} special tokens")
    sample = held_out_sentences(1000)
    print(f"mean length {sum(len(s.words) for s in sample) / len(sample):.1f} words")
    for name in RELATIONS:
        rows, share, offset = fixed_offset_rate(sample, name)
        print(f"{name:24s} {rows:5d} rows, best fixed offset {offset:+d}: {share:.2f}")


def main():
    """Reads the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", type=int, metavar="N", help="print N training sentences")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write held-out sentences and twins")
    parser.add_argument("--count", type=int, default=500, help="sentences to write of each half")
    parser.add_argument("--bos", action="store_true", help="put [bos] before the words")
    arguments = parser.parse_args()
    if arguments.show is not None:
        show(arguments.show)
    if arguments.write:
        write_files(arguments.write, arguments.count, arguments.bos)


if __name__ == "__main__":
    main()
