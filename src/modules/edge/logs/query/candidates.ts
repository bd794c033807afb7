/** Queries that are close to one that found nothing: its text with one condition replaced. */
import type { Condition, Node, Query, Span, Term } from './tree.ts'
import { FIELD_NAMES, type NamedField } from './values.ts'

/** `what` continues a sentence such as "12 logs match". */
export type Candidate = { q: string; what: string }

/** Words and values that occur, by what was searched for in their place. */
export type Similar = {
  words: ReadonlyMap<string, string>
  values: ReadonlyMap<string, string>
  /** Ids of devices that have the word in their name or id. */
  devices: ReadonlyMap<string, readonly string[]>
}

/** Each is counted with a query of its own. */
export const CANDIDATES_MAX = 8
/** Shorter words are part of too many others. */
const PART_MIN_CHARS = 3
const DEVICES_LISTED_MAX = 5

/** The conditions that every match must meet, in order. */
export const requiredTerms = ({ node }: Query): Term[] =>
  (node.kind === 'and' ? node.nodes : [node]).filter((each): each is Term => 'start' in each)

/** The only word of a term. */
export function wordOf(term: Condition): string | undefined {
  if (term.kind !== 'text') return undefined
  const [{ words, phrases, parts }] = term.texts
  return words.length === 1 && phrases.length + parts.length === 0 ? words[0] : undefined
}

/** The field and the value of a term that compares a whole value. */
export function valueOf(term: Condition): { field: NamedField; value: string } | undefined {
  if (term.kind !== 'value' || term.glob.length > 1) return undefined
  const field = FIELD_NAMES.find((name) => name === term.field)
  return field && { field, value: term.glob.join('') }
}

/** The most specific ones come first. */
export function candidatesOf(q: string, query: Query, similar: Similar): Candidate[] {
  const terms = requiredTerms(query)
  const near = terms.flatMap((term) =>
    replacementsOf(term, similar).map(({ text, what }) => ({ q: replaced(q, term, text), what })),
  )
  const isAlone = countTerms(query.node) < 2
  const without = terms.map((term) => ({
    q: replaced(q, term, ' ').trim(),
    what: `without ${q.slice(term.start, term.end)}`,
  }))
  return (isAlone ? near : [...near, ...without]).slice(0, CANDIDATES_MAX)
}

type Replacement = { text: string; what: string }

function replacementsOf(term: Term, { words, values, devices }: Similar): Replacement[] {
  const word = wordOf(term)
  if (word !== undefined) {
    const [meant, ids = []] = [words.get(word), devices.get(word)]
    return [
      ...(meant === undefined
        ? []
        : [{ text: meant, what: `with “${meant}”: did you mean that?` }]),
      ...(word.length < PART_MIN_CHARS ? [] : [{ text: `*${word}*`, what: asPart(word) }]),
      ...devicesOf(word, ids),
      ...(word.length < PART_MIN_CHARS
        ? []
        : [{ text: `error_type:*${word}*`, what: `with “${word}” in the type of the error` }]),
    ]
  }
  const value = valueOf(term)
  if (value !== undefined) {
    const meant = values.get(value.value)
    const name = value.field
    return [
      ...(meant === undefined
        ? []
        : [{ text: `${name}:"${meant}"`, what: `with ${name} “${meant}”: did you mean that?` }]),
      { text: `${name}:*${spaceless(value.value)}*`, what: `with “${value.value}” in ${name}` },
    ]
  }
  if (term.kind === 'text' && term.texts[0].phrases.length > 0) {
    return [{ text: term.texts[0].words.join(' '), what: 'with the words of the phrase anywhere' }]
  }
  return []
}

const asPart = (word: string): string => `with “${word}” as a part of a word`

function devicesOf(word: string, ids: readonly string[]): Replacement[] {
  if (ids.length === 0) return []
  const what = `of the ${ids.length === 1 ? 'device' : 'devices'} with “${word}” in the name or id: ${ids.slice(0, DEVICES_LISTED_MAX).join(', ')}`
  const listed = ids.slice(0, DEVICES_LISTED_MAX).map((id) => `device:"${id.replaceAll('"', '*')}"`)
  const isInAll = ids.every((id) => id.toLowerCase().includes(word))
  if (isInAll) return [{ text: `device:*${word}*`, what }]
  return [{ text: `(${listed.join(' OR ')})`, what }]
}

/** A space outside of quotes would end the value. */
const spaceless = (value: string): string => value.trim().replace(/[\s"()]+/g, '*')

export const replaced = (q: string, { start, end }: Span, text: string): string =>
  q.slice(0, start) + text + q.slice(end)

function countTerms(node: Node): number {
  if (node.kind === 'not') return countTerms(node.node)
  if (node.kind === 'and' || node.kind === 'or') {
    return node.nodes.reduce((sum, each) => sum + countTerms(each), 0)
  }
  return 1
}
