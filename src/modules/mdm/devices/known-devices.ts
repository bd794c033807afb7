/** The devices that a batch may be about, with the changes of the batch applied so far. */
import { type Identified, identify } from './identity.ts'
import type { DeviceRow } from './record.ts'
import type { DeviceReport } from './report.ts'

export type KnownDevices = {
  find(orgId: string, id: string): DeviceRow | undefined
  identify(orgId: string, report: DeviceReport): Identified
  put(row: DeviceRow): void
  /** Reports under these names are late from now on. */
  retire(orgId: string, names: readonly string[]): void
}

export function createKnownDevices(
  rows: readonly DeviceRow[],
  former: readonly { org_id: string; provider_name: string }[],
): KnownDevices {
  const byKey = new Map<string, DeviceRow>()
  const keysByFact = new Map<string, Set<string>>()
  const formerNames = new Set(former.map((name) => keyOf(name.org_id, name.provider_name)))

  const put = (row: DeviceRow) => {
    const key = keyOf(row.org_id, row.id)
    byKey.set(key, row)
    for (const fact of factsOf(row.org_id, row)) {
      const keys = keysByFact.get(fact)
      if (keys) keys.add(key)
      else keysByFact.set(fact, new Set([key]))
    }
  }
  for (const row of rows) put(row)

  return {
    find: (orgId, id) => byKey.get(keyOf(orgId, id)),
    identify: (orgId, report) => {
      const names = report.previous_names.map((name) => nameFact(orgId, name))
      const facts = [...factsOf(orgId, { ...report, provider_name: report.name }), ...names]
      const keys = new Set(facts.flatMap((fact) => [...(keysByFact.get(fact) ?? [])]))
      const candidates = [...keys].flatMap((key) => byKey.get(key) ?? [])
      return identify(report, candidates, (name) => formerNames.has(keyOf(orgId, name)))
    },
    put,
    retire: (orgId, names) => {
      for (const name of names) formerNames.add(keyOf(orgId, name))
    },
  }
}

type Facts = Pick<DeviceRow, 'provider_name' | 'enterprise_specific_id' | 'serial_number'>

const keyOf = (orgId: string, name: string): string => `${orgId} ${name}`
const nameFact = (orgId: string, name: string): string => `name ${orgId} ${name}`

function factsOf(orgId: string, facts: Facts): string[] {
  const { provider_name, enterprise_specific_id: specificId, serial_number: serial } = facts
  return [
    nameFact(orgId, provider_name),
    ...(specificId === null ? [] : [`specific ${orgId} ${specificId}`]),
    ...(serial === null ? [] : [`serial ${orgId} ${serial}`]),
  ]
}
