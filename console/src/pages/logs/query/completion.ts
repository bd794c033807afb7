/** Finds what could follow at the cursor of a log query: the name of a field, or a value of one. */
import { LEVELS } from '../view.ts'
import { conditionOn } from './query-text.ts'

/** The part of the text from `start` to `end` is replaced. `typed` is its beginning before the cursor. */
export type Completion = { start: number; end: number; typed: string } & (
  | { kind: 'name' }
  | { kind: 'value'; field: string }
)

export type Proposal = { text: string; hint?: string | undefined }

export const FIELD_NAMES: readonly Proposal[] = [
  { text: 'level', hint: 'debug to fatal' },
  { text: 'device_id', hint: 'the device' },
  { text: 'category' },
  { text: 'environment' },
  { text: 'error_type' },
  { text: 'error_code' },
  { text: 'error_fingerprint', hint: 'the error group' },
  { text: 'tags' },
  { text: 'trace_id' },
  { text: 'time', hint: 'today, yesterday, 15m or a day' },
  { text: 'has', hint: 'the field has a value' },
  { text: 'stack', hint: 'the stack contains' },
  { text: 'data', hint: 'data contains' },
]

const ALIASES: Readonly<Record<string, string>> = {
  device: 'device_id',
  trace: 'trace_id',
  tag: 'tags',
}
/** Fields with values that the service counts. */
const COUNTED =
  /^(?:device_id|category|environment|error_type|error_code|error_fingerprint|tags|trace_id|data\..+)$/
const TIMES = ['today', 'yesterday', '15m', '1h', '24h', '7d'].map((text) => ({ text }))
const CHUNK = /[^\s()]*$/
const NAMED = /^-?(data\.[^\s:"]+|[a-z_]+):/
const NAME = /^-?[a-z_][\w.-]*$/i

/** @returns undefined within a quote, and where words are typed that no field begins with */
export function completionAt(q: string, cursor: number): Completion | undefined {
  const before = q.slice(0, cursor)
  const quotes = before.match(/"/g)?.length ?? 0
  const chunk = CHUNK.exec(before)?.[0] ?? ''
  const named = NAMED.exec(chunk)
  const isOpenQuote = quotes % 2 === 1
  const rest = /^[^\s()"]*/.exec(q.slice(cursor))?.[0] ?? ''
  const end = cursor + rest.length
  if (named?.[1] !== undefined && !isOpenQuote) {
    const field = ALIASES[named[1]] ?? named[1]
    const typed = chunk.slice(named[0].length)
    return { kind: 'value', field, typed, start: cursor - typed.length, end }
  }
  if (isOpenQuote || (chunk !== '' && !NAME.test(chunk))) return undefined
  const typed = chunk.replace(/^-/, '')
  return { kind: 'name', typed, start: cursor - typed.length, end }
}

/** The field of which values have to be counted. */
export const countedField = (completion: Completion | undefined): string | undefined =>
  completion?.kind === 'value' && COUNTED.test(completion.field) ? completion.field : undefined

/** Proposals that need no answer of the service. @param members names of members of data */
export function knownProposals(completion: Completion, members: readonly string[]): Proposal[] {
  const names = [...FIELD_NAMES, ...members.map((text) => ({ text }))]
  if (completion.kind === 'name') return beginning(names, completion.typed)
  if (completion.field === 'level') {
    return beginning(
      LEVELS.map((text) => ({ text })),
      completion.typed,
    )
  }
  if (completion.field === 'time') return beginning(TIMES, completion.typed)
  if (completion.field !== 'has') return []
  const fields = names.filter(({ text }) => !['level', 'time', 'has'].includes(text))
  return beginning(fields, completion.typed)
}

const beginning = (proposals: readonly Proposal[], typed: string): Proposal[] =>
  proposals.filter(({ text }) => text.startsWith(typed.toLowerCase()) && text !== typed)

/** The text with the proposal in its place, and where the cursor goes. */
export function completed(
  q: string,
  completion: Completion,
  proposal: string,
): { q: string; cursor: number } {
  const { kind, start, end } = completion
  const after = q.slice(end)
  const text = kind === 'name' ? `${proposal}:` : `${valueText(completion.field, proposal)} `
  return { q: q.slice(0, start) + text + after.replace(/^[: ]/, ''), cursor: start + text.length }
}

const valueText = (field: string, value: string): string =>
  ['time', 'has'].includes(field) ? value : conditionOn(field, value).slice(field.length + 1)
