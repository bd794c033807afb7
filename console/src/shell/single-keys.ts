/**
 * Keys that act without Ctrl or Alt. A person can choose others, and people who speak to their computer switch them
 * off (WCAG 2.1.4). Stored in this browser.
 */
import { readStored, store } from './browser-storage.ts'

const OFF = 'vigil:single_keys_off'
const CHOSEN = 'vigil:single_keys'

export type Shortcut =
  | 'search'
  | 'help'
  | 'next'
  | 'previous'
  | 'fraud'
  | 'legitimate'
  | 'note'
  | 'undo'
export type Keys = Readonly<Record<Shortcut, string>>

export const DEFAULT_KEYS: Keys = {
  search: '/',
  help: '?',
  next: 'j',
  previous: 'k',
  fraud: 'f',
  legitimate: 'l',
  note: 'n',
  undo: 'u',
}

export const areShortcutsOn = (): boolean => readStored(OFF) === null

export const switchShortcuts = (isOn: boolean): void => store(OFF, isOn ? null : 'off')

export function readKeys(): Keys {
  try {
    const keys = { ...DEFAULT_KEYS, ...(JSON.parse(readStored(CHOSEN) ?? '{}') as Keys) }
    return keysFault(keys) === undefined ? keys : DEFAULT_KEYS
  } catch {
    return DEFAULT_KEYS
  }
}

export const chooseKeys = (keys: Keys): void => store(CHOSEN, JSON.stringify(keys))

/** @returns what the key does; undefined while shortcuts are off */
export function shortcutOf(pressed: string): Shortcut | undefined {
  if (!areShortcutsOn()) return undefined
  const found = Object.entries(readKeys()).find(([, key]) => key === pressed)
  return found?.[0] as Shortcut | undefined
}

/** Whether a key is text for a field, and no shortcut. */
export const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null

/** @returns why these keys cannot be used */
export function keysFault(keys: Keys): string | undefined {
  const all: readonly unknown[] = Object.values(keys)
  if (!all.every((key): key is string => typeof key === 'string' && /^\S$/u.test(key))) {
    return 'Each shortcut needs one letter, digit or sign.'
  }
  const double = all.find((key, at) => all.indexOf(key) !== at)
  return double === undefined ? undefined : `Two shortcuts have the key ${double}.`
}
