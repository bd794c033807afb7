/** What all parts of the emulator work on: its state, its time, and the ways to tell others. */
import { randomInt } from 'node:crypto'
import { notFound } from './errors.ts'
import type { NotificationType } from './resources.ts'
import type { DeviceRecord, EnterpriseRecord, Phone, State } from './state.ts'

export type Core = {
  readonly state: State
  /** `http://127.0.0.1:5490`, no slash at the end. */
  readonly url: () => string
  /** The time that `advance` moves: of tokens, commands, reports and messages. */
  readonly now: () => Date
  /** The time by which clients sign and verify: of OAuth and OpenID Connect. */
  readonly clientNow: () => Date
  /** Something has changed that is to be kept. */
  readonly touch: () => void
  /** Publishes to the topic of an enterprise, if it wants to hear of such things. */
  readonly notify: (
    enterprise: EnterpriseRecord,
    type: NotificationType | 'test',
    payload: unknown,
  ) => void
  /** Lets a phone talk to the server once its reaction time is over. */
  readonly wake: (phone: Phone) => void
}

export function nextSeq(state: State): number {
  state.last_seq += 1
  return state.last_seq
}

export function getEnterprise(core: Core, id: string): EnterpriseRecord {
  const enterprise = core.state.enterprises.get(id)
  if (enterprise === undefined) throw notFound()
  return enterprise
}

export function getDevice(core: Core, enterpriseId: string, id: string): DeviceRecord {
  const device = getEnterprise(core, enterpriseId).devices.get(id)
  if (device === undefined) throw notFound()
  return device
}

/** The last step of a resource's name. */
export const idOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

export function randomText(alphabet: string, length: number): string {
  let text = ''
  for (let at = 0; at < length; at += 1) text += alphabet[randomInt(alphabet.length)]
  return text
}

export const UPPER_CASE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
export const LOWER_CASE_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789'
export const HEX = '0123456789abcdef'
export const DIGITS = '0123456789'
