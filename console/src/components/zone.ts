/** The time zone of the page: that of the browser, or UTC. One switch governs filters, rows and charts. */
import { readStored, store } from '../shell/browser-storage.ts'

const STORED_AS = 'vigil:zone'
let isUtc = readStored(STORED_AS) === 'utc'

export const isInUtc = (): boolean => isUtc

export const zoneName = (): string =>
  isUtc ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone

/** For formatters of times. */
export const inZone = (): { timeZone?: string } => (isUtc ? { timeZone: 'UTC' } : {})

/** The page has to be rendered again afterwards. */
export function chooseUtc(isWanted: boolean): void {
  isUtc = isWanted
  store(STORED_AS, isWanted ? 'utc' : null)
}

type Fields = {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}

/** @property month 0 to 11 */
export const fieldsIn = (time: Date): Fields =>
  isUtc
    ? {
        year: time.getUTCFullYear(),
        month: time.getUTCMonth(),
        day: time.getUTCDate(),
        hour: time.getUTCHours(),
        minute: time.getUTCMinutes(),
        second: time.getUTCSeconds(),
      }
    : {
        year: time.getFullYear(),
        month: time.getMonth(),
        day: time.getDate(),
        hour: time.getHours(),
        minute: time.getMinutes(),
        second: time.getSeconds(),
      }

/** Midnight of a day. Days and months beyond their range count on. */
export const midnightOf = (year: number, month: number, day: number): Date =>
  isUtc ? new Date(Date.UTC(year, month, day)) : new Date(year, month, day)

/** A text such as `2026-03-01T12:30`, read as a time of the zone. */
export const readLocal = (text: string): Date =>
  new Date(isUtc && /T[\d:.]+$/.test(text) ? `${text}Z` : text)
