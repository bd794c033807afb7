/** Compares the audit log and the events with each other, and with the final state of the records. */

import { repeated } from './mdm-command-books.ts'
import { namesOf, type Truth } from './mdm-device-books.ts'
import type { AuditRow, DeviceRow, EventRow, Rows } from './mdm-rows.ts'

/** Each command was created, sent and completed as its row says, with one event at its end. */
export function wrongCommandHistory({ commands, audit, events }: Rows): string[] {
  const entries = groupedBy(audit, ({ target_type, target_id }) =>
    target_type === 'command' ? (target_id ?? '') : undefined,
  )
  const eventsById = groupedBy(events, ({ type, data }) =>
    type === 'mdm.command.completed' ? data.id : undefined,
  )
  const wrong = commands.flatMap((row) => {
    const isSent = row.operation_name !== null
    const isEnded = row.completed_at !== null
    const expected = [
      'command.created',
      ...(isSent ? ['command.sent'] : []),
      ...(isEnded ? [`command.completed ${row.status}`] : []),
    ]
    const found = (entries.get(row.id) ?? []).map(({ action, after }) =>
      action === 'command.completed' ? `${action} ${String(after?.['status'])}` : action,
    )
    const ends = (eventsById.get(row.id) ?? []).map(({ data }) => data['status'])
    return [
      ...unlike(`${row.id}: its audit log`, expected, found.toSorted(byPosition(expected))),
      ...unlike(`${row.id}: its events`, isEnded ? [row.status] : [], ends),
    ]
  })
  const known = new Set(commands.map(({ id }) => id))
  const unknown = [...entries.keys(), ...eventsById.keys()].filter((id) => !known.has(id))
  return [...wrong, ...unknown.map((id) => `${id}: there is no such command`)]
}

const byPosition =
  (expected: readonly string[]) =>
  (a: string, b: string): number =>
    expected.indexOf(a) - expected.indexOf(b)

/** Each device enrolled and changed as its entries say, with one event each time. */
export function wrongDeviceHistory({ devices, audit, events }: Rows, truth: Truth): string[] {
  const entries = groupedBy(audit, ({ target_type, device_id }) =>
    target_type === 'device' ? (device_id ?? '') : undefined,
  )
  const eventsById = groupedBy(events, ({ type, data }) =>
    type.startsWith('mdm.device.') ? data.id : undefined,
  )
  const phones = new Map(truth.phones.map((phone) => [namesOf(phone).at(-1) ?? '', phone]))
  const wrong = devices.flatMap((row) => {
    const own = entries.get(row.id) ?? []
    const ownEvents = eventsById.get(row.id) ?? []
    const phone = phones.get(row.provider_name)
    return [
      ...wrongEnrollments(row, own, phone ? namesOf(phone) : []),
      ...wrongPath(`${row.id}: its states`, stateSteps(own), [undefined, row.state]),
      ...wrongPath(`${row.id}: its compliance`, complianceSteps(own), [
        'unknown',
        row.compliance_state,
      ]),
      ...unlike(`${row.id}: its events`, expectedEvents(own), eventsOf(ownEvents)),
    ]
  })
  const known = new Set(devices.map(({ id }) => id))
  const unknown = [...entries.keys(), ...eventsById.keys()].filter((id) => !known.has(id))
  return [...wrong, ...unknown.map((id) => `${id}: there is no such device`)]
}

/** At most one enrollment for each name that the phone has had, and one for the current name. */
function wrongEnrollments(
  { id, provider_name }: DeviceRow,
  entries: readonly AuditRow[],
  names: readonly string[],
): string[] {
  const enrolled = entries
    .filter(({ action }) => action === 'device.enrolled')
    .map(({ after }) => String(after?.['provider_name']))
  return [
    ...repeated(enrolled).map((name) => `${id}: it enrolled twice as ${name}`),
    ...enrolled
      .filter((name) => !names.includes(name))
      .map((name) => `${id}: it never was ${name}`),
    ...(enrolled.includes(provider_name) ? [] : [`${id}: it did not enroll as ${provider_name}`]),
  ]
}

type Step = readonly [before: unknown, after: unknown]

const stateSteps = (entries: readonly AuditRow[]): Step[] =>
  entries
    .filter(({ action }) =>
      ['device.enrolled', 'device.state_changed', 'device.deleted'].includes(action),
    )
    .map(({ before, after }) => [before?.['state'], after?.['state']])

const complianceSteps = (entries: readonly AuditRow[]): Step[] =>
  entries
    .filter(({ action }) => action === 'device.compliance_changed')
    .map(({ before, after }) => [before?.['compliance_state'], after?.['compliance_state']])

/**
 * Whether the steps form a path from start to end, in any order, because two processes may write at the
 * same time. Except for the ends, each state is left as often as it is reached.
 */
function wrongPath(
  what: string,
  steps: readonly Step[],
  [start, end]: readonly [start: unknown, end: unknown],
): string[] {
  const balance = new Map<unknown, number>()
  const add = (place: unknown, by: number) => balance.set(place, (balance.get(place) ?? 0) + by)
  for (const [before, after] of steps) {
    add(before, -1)
    add(after, 1)
  }
  add(start, 1)
  add(end, -1)
  // A repeated enrollment alone does not change the state.
  const wrong = [...balance].filter(([, sum]) => sum !== 0).map(([place]) => String(place))
  return wrong.length === 0 ? [] : [`${what} do not fit at ${wrong.join()}: ${stepsText(steps)}`]
}

const stepsText = (steps: readonly Step[]): string =>
  steps.map(([before, after]) => `${String(before)}→${String(after)}`).join(' ')

const expectedEvents = (entries: readonly AuditRow[]): string[] =>
  entries
    .flatMap(({ action, after }) => {
      if (action === 'device.enrolled') return ['enrolled']
      if (action !== 'device.compliance_changed') return []
      return [`compliance_changed ${String(after?.['compliance_state'])}`]
    })
    .toSorted()

const eventsOf = (events: readonly EventRow[]): string[] =>
  events
    .map(({ type, data }) => {
      if (type === 'mdm.device.enrolled') return 'enrolled'
      return `compliance_changed ${String(data['compliance_state'])}`
    })
    .toSorted()

const unlike = (what: string, expected: readonly unknown[], found: readonly unknown[]): string[] =>
  expected.join() === found.join()
    ? []
    : [`${what}: [${found.join()}], expected [${expected.join()}]`]

function groupedBy<T>(all: readonly T[], keyOf: (one: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const key = keyOf(one)
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return groups
}
