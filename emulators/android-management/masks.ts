/**
 * Field masks: `updateMask` of changes and `fields` of answers
 * (https://protobuf.dev/reference/protobuf/google.protobuf/#field-mask,
 * https://cloud.google.com/apis/docs/system-parameters).
 */
import { isObject } from '../../src/platform/is-object.ts'
import { invalid } from '../google-errors.ts'
import type { Json } from './resources.ts'

/**
 * Applies a change to a resource.
 * @param mask comma-separated paths in snake_case or camelCase; null replaces the whole resource
 * @param protectedMembers members that a caller cannot change
 */
export function applyUpdate(
  before: Json,
  change: Json,
  mask: string | null,
  protectedMembers: readonly string[],
): Json {
  const after = structuredClone(mask === null ? change : before)
  for (const path of readMask(mask ?? '')) copyPath(change, after, path.split('.'))
  for (const name of protectedMembers) {
    if (before[name] === undefined) delete after[name]
    else after[name] = before[name]
  }
  return after
}

export const readMask = (mask: string): string[] =>
  mask
    .split(',')
    .map((path) => path.trim().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    .filter((path) => path !== '')

function copyPath(from: Json, to: Json, path: readonly string[]): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    if (from[name] === undefined) delete to[name]
    else to[name] = structuredClone(from[name])
    return
  }
  const inner = isObject(to[name]) ? to[name] : {}
  copyPath(isObject(from[name]) ? from[name] : {}, inner, rest)
  to[name] = inner
}

type Selection = Map<string, Selection | null>

/** Selects members of an answer: `nextPageToken,devices(name,state)`, `devices/name`, `*`. */
export function selectFields(value: unknown, fields: string): unknown {
  const reader = { text: fields.replaceAll(/\s/g, ''), at: 0 }
  const selection = readSelection(reader)
  if (reader.at < reader.text.length) throw badFields(fields)
  return select(value, selection)
}

const badFields = (fields: string) =>
  invalid(`Request contains an invalid argument. Invalid field selection ${fields}`)

function readSelection(reader: { text: string; at: number }): Selection {
  const selection: Selection = new Map()
  for (;;) {
    selection.set(readName(reader), readInner(reader))
    if (reader.text[reader.at] !== ',') return selection
    reader.at += 1
  }
}

function readInner(reader: { text: string; at: number }): Selection | null {
  if (reader.text[reader.at] === '(') {
    reader.at += 1
    const inner = readSelection(reader)
    if (reader.text[reader.at] !== ')') throw badFields(reader.text)
    reader.at += 1
    return inner
  }
  if (reader.text[reader.at] !== '/') return null
  reader.at += 1
  return new Map([[readName(reader), readInner(reader)]])
}

function readName(reader: { text: string; at: number }): string {
  const [name] = /^[\w*]+/.exec(reader.text.slice(reader.at)) ?? []
  if (name === undefined) throw badFields(reader.text)
  reader.at += name.length
  return name
}

function select(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => select(each, selection))
  if (!isObject(value)) return value
  const picked: Json = {}
  for (const [name, member] of Object.entries(value)) {
    const inner = selection.has(name) ? selection.get(name) : selection.get('*')
    if (inner === null) picked[name] = member
    else if (inner !== undefined) picked[name] = select(member, inner)
  }
  return picked
}
