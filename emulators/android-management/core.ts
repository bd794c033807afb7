/** The state, the clocks and the callbacks that all parts of the emulator share. */
import { randomInt } from 'node:crypto'
import { found } from '../google-errors.ts'
import type { NotificationType } from './resources.ts'
import type { DeviceRecord, EnterpriseRecord, Phone, State } from './state.ts'

export type Core = {
  readonly state: State
  /** `http://127.0.0.1:5490`, without a slash at the end. */
  readonly url: () => string
  /** The emulated clock of tokens, commands, reports and messages, which the control can advance. */
  readonly now: () => Date
  /** The clock of clients, by which OAuth and OpenID Connect tokens are signed and verified. */
  readonly clientNow: () => Date
  /** Marks the state as changed, so that it is persisted. */
  readonly touch: () => void
  /** Publishes to the topic of an enterprise, if the enterprise has enabled this type. */
  readonly notify: (
    enterprise: EnterpriseRecord,
    type: NotificationType | 'test',
    payload: unknown,
  ) => void
  /** Schedules a check-in of a phone after its reaction time. */
  readonly wake: (phone: Phone) => void
}

export function nextSeq(state: State): number {
  state.last_seq += 1
  return state.last_seq
}

export const getEnterprise = ({ state }: Core, id: string): EnterpriseRecord =>
  found(state.enterprises.get(id))

export const getDevice = (core: Core, enterpriseId: string, id: string): DeviceRecord =>
  found(getEnterprise(core, enterpriseId).devices.get(id))

export function wakePhone(core: Core, phoneId: string): void {
  const phone = core.state.phones.get(phoneId)
  if (phone) core.wake(phone)
}

/** @param duration in the JSON form of protocol buffers: `3600s`, `0.5s` */
export const secondsOf = (duration: string): number => Number(duration.slice(0, -1))

/** Returns the last segment of a resource name. */
export const idOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

export function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}

export const UPPER_CASE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
export const LOWER_CASE_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789'
export const HEX = '0123456789abcdef'
export const DIGITS = '0123456789'
