/** The requests of the simulated administrators, and the responses that they received. */
import type { Reply } from './mdm-client.ts'

/** The last acknowledged value, and the values of later requests without a response. */
export type Tracked<T> = { acknowledged: T; pending: Set<T> }

export type RequestedCommand = { device_id: string; type: string; package_name: string | undefined }
export type RequestedGroupCommand = { group_id: string; total: number; package_name: string }

export type FleetLedger = {
  /** By id. */
  commands: Map<string, RequestedCommand>
  group_commands: Map<string, RequestedGroupCommand>
  /** Packages of commands that were refused, and of commands without a response. */
  refused: Set<string>
  open: Set<string>
  /** Ids of devices. */
  deletions: Set<string>
  /** Names of devices, by id. */
  names: Map<string, Tracked<string | null>>
  /** The group of each device. */
  members: Map<string, Tracked<string | null>>
  /** The policy of each group, undefined for a deleted group; the document of each policy. */
  groups: Map<string, Tracked<string | null | undefined>>
  policies: Map<string, Tracked<string>>
}

export const newFleetLedger = (): FleetLedger => ({
  commands: new Map(),
  group_commands: new Map(),
  refused: new Set(),
  open: new Set(),
  deletions: new Set(),
  names: new Map(),
  members: new Map(),
  groups: new Map(),
  policies: new Map(),
})

export const tracked = <T>(acknowledged: T): Tracked<T> => ({ acknowledged, pending: new Set() })

/** Records a request that may take effect before its response. @returns a function for the response */
export function track<T>(
  values: Map<string, Tracked<T>>,
  id: string,
  value: T,
  usual: T,
): (reply: Reply<unknown>) => void {
  const before = values.get(id) ?? tracked(usual)
  const wasPending = before.pending.has(value)
  before.pending.add(value)
  values.set(id, before)
  return ({ kind }) => {
    if (kind === 'done') values.set(id, tracked(value))
    if (kind === 'refused' && !wasPending) before.pending.delete(value)
  }
}

export const isConsistent = <T>({ acknowledged, pending }: Tracked<T>, value: T): boolean =>
  acknowledged === value || pending.has(value)
