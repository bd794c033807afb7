/** How facts are declared, and the facts that all kinds of subjects have. */
export type FactType =
  | 'int'
  | 'double'
  | 'bool'
  | 'string'
  | 'list<string>'
  | 'list<Item>'
  | 'map<string, string>'
type Fact = readonly [type: FactType, about: string]
export type FactGroup = Readonly<Record<string, Fact>>

export const LIST_FACTS = {
  allow: ['list<string>', 'kinds of identities on the allow list, such as "profile"'],
  block: ['list<string>', 'kinds of identities on the block list, such as "device"'],
  watch: ['list<string>', 'kinds of identities on the watch list, such as "device"'],
} as const satisfies FactGroup

const STRENGTH = ['int', 'strength of the signal before rules and lists, 0 to 100'] as const

/** The strengths of signals, and the score that they make. */
export const signalFacts = <Signal extends string>(signals: readonly Signal[]) => ({
  ...(Object.fromEntries(signals.map((signal) => [signal, STRENGTH])) as Record<
    Signal,
    typeof STRENGTH
  >),
  score: ['int', 'score before rules and lists, 0 to 100'] as const,
})

/** The findings behind the signals of a subject. */
export const FINDINGS = {
  findings: ['list<string>', 'names of the findings, as the console shows them'],
} as const satisfies FactGroup
