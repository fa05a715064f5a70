#!/usr/bin/env python3
"""Makes the sentences that the toy transformer learns from, and those it is tested on.

A small grammar of English, written for this purpose: animals, food, things, places, sights, names.
Every sentence comes with the kind of each word and with its true relations as (query, key) pairs of
word indices. The relations are only for testing: training sees the words and, of each pronoun, the noun
and the adjectives that it was put in place of.

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
"chased" is "cat", in "the cat that the dog chased" the object of "chased" is "cat". A predicate of a
pronoun ("it was hungry", "it slept") belongs to the pronoun and is not counted.

Held out: combinations of words (subject, verb, object; adjective, noun; noun, predicate) are divided by
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

from toy_words import (
    ACTIONS,
    ADJECTIVES,
    ADVERBS,
    AGREEING_COPULAS,
    ALL_NOUNS,
    ALL_VERBS,
    ANIMAL_PREPOSITIONS,
    CLAUSE_CONJUNCTIONS,
    CONJUNCTIONS,
    DETERMINERS,
    FREE_COPULAS,
    NAMES,
    PLACE_PREPOSITIONS,
    PLACES,
    SHARED_STATES,
    SIGHTS,
    SPECIAL_TOKENS,
    STATES,
    Preferences,
    vocabulary,
    weighted,
)

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
# Sentences


@dataclass
class Phrase:
    """What later words need to know about a noun phrase that has been written."""

    index: int  # of its noun
    noun: object  # Noun, or None for a name, a place, a sight
    key: str  # singular, for preferences and combinations
    kind: str
    is_plural: bool
    adjectives: tuple = ()  # their indices


@dataclass
class Sentence:
    """Words, their kinds, their relations as word indices, and the combinations that occur."""

    words: list = field(default_factory=list)
    kinds: list = field(default_factory=list)
    relations: dict = field(default_factory=dict)  # name: [(query, key), ...]
    combinations: set = field(default_factory=set)
    phrases: list = field(default_factory=list)
    replaced: dict = field(default_factory=dict)  # index of a pronoun: the noun and adjectives that it replaced
    telling: set = field(default_factory=set)  # words that tell the number of the pronoun: "was", "are"

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


HELD_OUT_SHARES = {"svo": 6, "adjective": 14, "predicate": 14}  # one in so many is held out


def is_held_out(combination):
    """Decides by checksum, the same in every run: (sort, word, word, ...)."""
    share = HELD_OUT_SHARES[combination[0]]
    return zlib.crc32(" ".join(combination).encode()) % share == 0


LIKE_SHARE = 0.7


class Grammar:
    """Writes random sentences. One object serves many sentences; all chance comes from `rng`.

    like_share: how often subject and object of a sentence with a reason have one number if their kinds
    are different, so that only the kind tells which of them a pronoun stands for; 0 leaves it to chance.
    """

    def __init__(self, rng, like_share=LIKE_SHARE):
        self.rng = rng
        self.like_share = like_share
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
        phrase = Phrase(index, None if is_place else noun, key, kind, is_plural, tuple(adjectives))
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

    def verb_phrase(self, s, subject, verb, is_past, like=False):
        """Writes adverb, verb, object; returns the phrase of the object.

        like: the object has the number of the subject if their kinds are different.
        """
        if self.chance(0.4):
            s.add(self.rng.choice(ADVERBS), "adverb")
        index = s.add(verb.form(subject.is_plural, is_past), "verb")
        if verb.object == "sight":
            nouns = [sight[1] for sight in SIGHTS]
            noun = weighted(self.rng, nouns, self.preferences.objects[verb.base])
            thing, _ = self.sight_phrase(s, SIGHTS[nouns.index(noun)])
        else:
            noun = self.argument_of(verb, "object", {subject.key})
            other = self.unlike(subject.is_plural)
            if like and verb.subject != verb.object:
                other = subject.is_plural
            thing = self.noun_phrase(s, noun, other)
        self.relate_clause(s, verb, index, subject, thing)
        return thing

    def subject_phrase(self, s, verb, is_past):
        """Writes the subject of a main verb with what follows it."""
        noun = self.argument_of(verb, "subject")
        subject = self.noun_phrase(s, noun, self.chance(0.5))
        self.modifiers(s, subject, is_past)
        return subject

    def reason(self, s, choices, is_past):
        """Writes "because it was hungry and slept"; None when no phrase of `choices` is the only fit.

        In 1 of 4 a noun takes the place of the pronoun: one of `choices` again, or another.
        """
        if self.chance(0.25):
            self.reason_of_noun(s, choices, is_past)
            return s
        fits = [p for p in choices if self.is_unique(s, p)]
        if not fits:
            return None
        phrase = self.rng.choice(fits)
        s.add(self.rng.choice(CONJUNCTIONS), "conjunction")
        pronoun = s.add("they" if phrase.is_plural else "it", "pronoun")
        s.relate("pronoun-noun", pronoun, phrase.index)
        s.replaced[pronoun] = [s.words[n] for n in (phrase.index, *phrase.adjectives)]
        needs_kind = any(p.is_plural == phrase.is_plural and p.kind in STATES and p is not phrase for p in s.phrases)
        self.predicates(s, phrase, is_past, None, needs_kind)
        return s

    def reason_of_noun(self, s, choices, is_past):
        """Writes "because the creature was hungry"."""
        s.add(self.rng.choice(CONJUNCTIONS), "conjunction")
        old = self.rng.choice(choices)
        if self.chance(0.5):
            noun, is_plural = old.noun, old.is_plural
        else:
            noun, is_plural = self.rng.choice(ALL_NOUNS[self.rng.choice(list(STATES))]), self.chance(0.5)
        determiner = s.add("the", "determiner")
        phrase = Phrase(s.add(noun.form(is_plural), "noun"), noun, noun.singular, noun.kind, is_plural)
        s.relate("determiner-noun", determiner, phrase.index)
        self.predicates(s, phrase, is_past, phrase.index, False)

    def predicates(self, s, phrase, is_past, subject, needs_kind):
        """Writes "was hungry", "slept", or two of them joined by "and".

        subject: the index of the noun, None for a pronoun. needs_kind: no state that fits every kind.
        """
        states = [a for a in STATES[phrase.kind] if not (needs_kind and a in SHARED_STATES)]
        used = set()
        for n in range(2 if self.chance(0.55) else 1):
            if n:
                s.add("and", "conjunction")
            if is_past and self.chance(0.4):
                word = self.action_word(s, phrase, subject, used)
            else:
                word = self.state_word(s, phrase, states, is_past, subject, used)
            s.combinations.add(("predicate", phrase.key, word))
            used.add(word)

    def action_word(self, s, phrase, subject, used):
        """Writes "slept"."""
        pool = [a for a in ACTIONS[phrase.kind] if a not in used]
        word = weighted(self.rng, pool, self.preferences.actions[phrase.key])
        index = s.add(word, "predicate")
        if subject is not None:
            s.relate("verb-subject", index, subject)
        return word

    def state_word(self, s, phrase, states, is_past, subject, used):
        """Writes "was very hungry"."""
        if is_past and self.chance(0.75):
            s.add(self.rng.choice(FREE_COPULAS), "copula")
        else:
            index = s.add(AGREEING_COPULAS[(is_past, phrase.is_plural)], "copula")
            if subject is None:
                s.telling.add(index)
        if self.chance(0.2):
            s.add(self.rng.choice(["very", "really"]), "adverb")
        pool = [a for a in states if a not in used]
        word = weighted(self.rng, pool, self.preferences.states[phrase.key])
        index = s.add(word, "predicate")
        if subject is not None:
            s.relate("adjective-noun", index, subject)
        return word

    @staticmethod
    def is_unique(s, phrase):
        """Says whether no other noun of the sentence has the kind and number of this phrase."""
        same = [p for p in s.phrases if p.kind == phrase.kind and p.is_plural == phrase.is_plural]
        return phrase.kind in STATES and len(same) == 1

    # -- kinds of sentences

    def action(self, with_reason):
        """ "the cat near the river chased the mice", perhaps "because they were afraid"."""
        s = Sentence()
        is_past = self.chance(0.8 if with_reason else 0.25)
        same_kind = with_reason and self.chance(0.45)  # then only the number tells the two nouns apart
        verbs = [v for v in ALL_VERBS if v.object != "sight" and (v.subject == v.object or not same_kind)]
        verb = self.rng.choice(verbs)
        subject = self.subject_phrase(s, verb, is_past)
        like = with_reason and self.like_share > 0 and self.chance(self.like_share)
        thing = self.verb_phrase(s, subject, verb, is_past, like)
        if self.chance(0.25):
            self.prepositional_phrase(s, thing)
        return self.reason(s, [subject, thing], is_past) if with_reason else s

    def description(self):
        """ "the berries that the fox stole were ripe"."""
        s = Sentence()
        is_past = self.chance(0.6)
        noun = self.rng.choice(ALL_NOUNS[self.rng.choice(list(STATES))])
        subject = self.noun_phrase(s, noun, self.chance(0.5))
        self.modifiers(s, subject, is_past)
        self.predicates(s, subject, is_past, subject.index, False)
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
            sort = self.rng.choices(["reason", "action", "name", "sight", "description"], [64, 6, 11, 10, 9])[0]
            make = {
                "reason": lambda: self.action(True),
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

TRAIN_SEED, HELD_OUT_SEED, TWIN_SEED, PICK_TWIN_SEED = 1, 2, 3, 4
N_HELD_OUT = 2000  # half to pick heads, half to report


def training_sentences(count, like_share=LIKE_SHARE, seed=TRAIN_SEED):
    """Returns `count` sentences without a held-out combination."""
    grammar = Grammar(random.Random(seed), like_share)
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


def twin_states(grammar, by_kind, phrases):
    """Returns the state after the pronoun in both sentences of a twin.

    By kind: each noun's own, drawn as in training. By number: the same in both, one that fits both
    nouns and is preferred by neither, so that nothing but the pronoun tells them apart.
    """
    preferred = grammar.preferences.states
    if by_kind:
        return [
            weighted(grammar.rng, [a for a in STATES[p.kind] if a not in SHARED_STATES], preferred[p.key])
            for p in phrases
        ]
    first, second = phrases
    fits = [a for a in STATES[first.kind] if a in STATES[second.kind]]
    neutral = [a for a in fits if a not in preferred[first.key] + preferred[second.key]]
    return [grammar.rng.choice(neutral)] * 2


def number_decides(s, phrase):
    """Says whether no other noun that can be in a state has the number of this phrase."""
    return not any(p is not phrase and p.kind in STATES and p.is_plural == phrase.is_plural for p in s.phrases)


def make_twin(grammar, by_kind):
    """Writes one pair of sentences that differ in the state (by kind) or in the pronoun (by number).

    By kind: two nouns of one number and different kinds; the two sentences differ in the last word
    alone ("hungry", "ripe"). By number: one noun is singular, the other plural, no third noun can be
    meant; the two sentences differ in the pronoun alone ("it", "they").

    Returns {"sort", "tokens": [a, b], "pronoun": index, "right": [index a, index b]} or None.
    """
    rng, s = grammar.rng, Sentence()
    verb = rng.choice([v for v in ALL_VERBS if v.object in STATES and (v.subject != v.object or not by_kind)])
    subject = grammar.noun_phrase(s, grammar.argument_of(verb, "subject"), grammar.chance(0.5))
    grammar.modifiers(s, subject, True)
    if grammar.chance(0.4):
        s.add(rng.choice(ADVERBS), "adverb")
    index = s.add(verb.past, "verb")
    noun = grammar.argument_of(verb, "object", {subject.key})
    thing = grammar.noun_phrase(s, noun, subject.is_plural == by_kind)
    grammar.relate_clause(s, verb, index, subject, thing)
    phrases = [subject, thing]
    fits = grammar.is_unique if by_kind or subject.kind == thing.kind else number_decides
    if not all(fits(s, p) for p in phrases) or len(s.words) > MAX_WORDS - 4 or not s.has_held_out():
        return None
    copula, states = rng.choice(FREE_COPULAS), twin_states(grammar, by_kind, phrases)
    tails = [["because", "they" if p.is_plural else "it", copula, a] for p, a in zip(phrases, states)]
    return {
        "sort": "kind" if by_kind else "number",
        "tokens": [s.words + tail for tail in tails],
        "pronoun": len(s.words) + 1,
        "right": [p.index for p in phrases],
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
