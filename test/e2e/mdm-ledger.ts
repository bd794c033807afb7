/** What those who manage devices asked for, and what they were told about it. */
import type { Reply } from './mdm-client.ts'

/** The last value that was acknowledged, and those asked for since then without an answer. */
export type Wish<T> = { told: T; asked: Set<T> }

export type AskedCommand = { device_id: string; type: string; package_name: string | undefined }
export type AskedGroupCommand = { group_id: string; total: number; package_name: string }

export type FleetLedger = {
  /** By id. */
  commands: Map<string, AskedCommand>
  group_commands: Map<string, AskedGroupCommand>
  /** Packages of commands of which it was said that there are none, and of which nothing was said. */
  refused: Set<string>
  open: Set<string>
  /** Ids of devices. */
  deletions: Set<string>
  /** Names of devices, by id. */
  names: Map<string, Wish<string | null>>
  /** Which group each device is in. */
  members: Map<string, Wish<string | null>>
  /** Which policy each group has, and what each policy says. Undefined: the group is gone. */
  groups: Map<string, Wish<string | null | undefined>>
  policies: Map<string, Wish<string>>
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

export const wish = <T>(told: T): Wish<T> => ({ told, asked: new Set() })

/** Before the answer is there it may be done already. @returns what is to be done with the answer */
export function ask<T>(
  wishes: Map<string, Wish<T>>,
  id: string,
  value: T,
  usual: T,
): (reply: Reply<unknown>) => void {
  const before = wishes.get(id) ?? wish(usual)
  const wasAsked = before.asked.has(value)
  before.asked.add(value)
  wishes.set(id, before)
  return ({ kind }) => {
    if (kind === 'done') wishes.set(id, wish(value))
    if (kind === 'refused' && !wasAsked) before.asked.delete(value)
  }
}

export const isAsWished = <T>({ told, asked }: Wish<T>, value: T): boolean =>
  told === value || asked.has(value)
