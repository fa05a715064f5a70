"""The words of the toy transformer's grammar, and which words go together.

Nouns of three kinds (animals, food, things), verbs with the kinds of their arguments, what a noun can
be ("hungry") or do ("slept"), adjectives, names, sights; the order of the vocabulary; preferences:
each noun has a few adjectives, states and actions, each verb a few subjects and objects that occur
with it far more often than others.
"""

import random
from dataclasses import dataclass

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

# What a noun can be after a copula. The shared ones fit every kind, so that they say nothing about it.
SHARED_STATES = "cold dirty strange lost".split()
STATES = {
    "animal": "hungry tired afraid angry happy thirsty lonely sick curious sleepy proud nervous",
    "food": "ripe sweet sour rotten tasty fresh delicious bitter salty juicy",
    "thing": "broken heavy dusty fragile cheap empty useful rusty loud wet",
}
STATES = {kind: words.split() + SHARED_STATES for kind, words in STATES.items()}
# What a noun can do without an object; past tense only, so that it says nothing about the number.
ACTIONS = {
    "animal": "slept ran jumped cried sang danced smiled yawned limped trembled",
    "food": "rotted melted burned cooled dried burst crumbled spoiled",
    "thing": "fell cracked rolled rattled creaked leaked shook toppled",
}
ACTIONS = {kind: words.split() for kind, words in ACTIONS.items()}
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
    words += [a for group in (STATES, ACTIONS, ADJECTIVES) for words_ in group.values() for a in words_]
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
    """The preferred adjectives, states and actions of nouns, and subjects and objects of verbs."""

    KNOWN_ADJECTIVES = {"creature": ["fluffy"], "berry": ["red"], "bear": ["big"], "chair": ["wooden"]}
    KNOWN_STATES = {"creature": ["hungry"], "berry": ["ripe"], "vase": ["fragile"]}
    KNOWN_SUBJECTS = {"eat": ["creature"], "chase": ["dog"], "bite": ["snake"]}
    KNOWN_OBJECTS = {"eat": ["berry"], "chase": ["cat"], "break": ["vase"]}

    def __init__(self, seed=20):
        rng = random.Random(seed)
        self.adjectives, self.states, self.actions, self.subjects, self.objects = {}, {}, {}, {}, {}
        for noun in (n for nouns in ALL_NOUNS.values() for n in nouns):
            name = noun.singular
            known = self.KNOWN_ADJECTIVES.get(name, [])
            self.adjectives[name] = prefer(rng, ADJECTIVES[noun.kind], 2, known)
            self.states[name] = prefer(rng, STATES[noun.kind], 2, self.KNOWN_STATES.get(name, []))
            self.actions[name] = prefer(rng, ACTIONS[noun.kind], 2)
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
