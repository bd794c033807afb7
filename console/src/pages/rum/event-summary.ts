/** Summarizes an event in one line. Clients send events in any form, so every member is checked. */
import type { RumTimelineEvent } from '../../../../src/modules/rum/reading/schema.ts'
import { bytesText, durationText, numberText } from '../../components/format.ts'
import { VITAL_NAMES, vitalText } from './vitals.ts'

type Members = Readonly<Record<string, unknown>>

/** @returns an empty object when the member is missing */
export function memberOf(event: Members, name: string): Members {
  const value = Object.hasOwn(event, name) ? event[name] : undefined
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}

export function textOf(members: Members, name: string): string | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

function numberOf(members: Members, name: string): number | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined
  return typeof value === 'number' ? value : undefined
}

export function eventSummary({ type, event, page }: RumTimelineEvent): string {
  const member = memberOf(event, type)
  const summary = SUMMARIES.get(type)?.(member, page)
  return summary === undefined || summary === '' ? page : summary
}

const joined = (...parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(' · ')

const durationOf = (members: Members): string | undefined => {
  const ms = numberOf(members, 'duration_ms')
  return ms === undefined ? undefined : durationText(ms)
}

const SUMMARIES = new Map<string, (members: Members, page: string) => string>([
  ['view', (view, page) => joined(textOf(view, 'name'), textOf(view, 'url') ?? page)],
  ['action', (action) => joined(textOf(action, 'type'), textOf(action, 'target'))],
  ['error', (error) => joined(textOf(error, 'type'), textOf(error, 'message'))],
  [
    'resource',
    (resource) => {
      const size = numberOf(resource, 'size_bytes')
      const status = numberOf(resource, 'status')
      return joined(
        textOf(resource, 'method'),
        textOf(resource, 'url'),
        status === undefined ? undefined : String(status),
        durationOf(resource),
        size === undefined ? undefined : bytesText(size),
      )
    },
  ],
  [
    'vital',
    (vital) => {
      const value = numberOf(vital, 'value')
      const name = textOf(vital, 'name')
      const known = VITAL_NAMES.find((each) => each === name)
      const text = known ? vitalText(known, value ?? 0) : numberText(value ?? 0, { digits: 3 })
      return joined(name, value === undefined ? undefined : text)
    },
  ],
  ['long_task', (task) => joined(durationOf(task))],
  ['log', (log) => joined(textOf(log, 'level'), textOf(log, 'message'))],
])
