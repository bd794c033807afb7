/**
 * Declares one setting: its type, default, help and whether it is secret. `config.ts` holds the
 * list; this file reads texts into values and describes invalid ones.
 */
export type Setting<T> = {
  readonly help: string
  readonly secret: boolean
  /** The default as a user would write it; undefined when the setting is optional. */
  readonly fallback: string | undefined
  /** @throws Error whose message completes the sentence "NAME …" */
  readonly read: (text: string) => T
}

export type Values<S extends Record<string, Setting<unknown>>> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never
}

type Common = { help: string; secret?: boolean }

function setting<T>(
  common: Common,
  fallback: string | undefined,
  read: (text: string) => T,
): Setting<T> {
  return { help: common.help, secret: common.secret ?? false, fallback, read }
}

export function text(fallback: string, common: Common): Setting<string> {
  return setting(common, fallback, (value) => value)
}

export function optionalText(common: Common): Setting<string | undefined> {
  return setting(common, undefined, (value) => value)
}

/** The format of a text: a test, and the noun that completes "must be …". */
export type Form = { accepts: (text: string) => boolean; what: string }

export function formed(fallback: string, form: Form, common: Common): Setting<string> {
  return setting(common, fallback, (value) => readFormed(value, form, common))
}

export function optionalFormed(form: Form, common: Common): Setting<string | undefined> {
  return setting(common, undefined, (value) => readFormed(value, form, common))
}

function readFormed(value: string, form: Form, { secret }: Common): string {
  if (!form.accepts(value)) fail(`must be ${form.what}`, secret === true ? undefined : value)
  return value
}

export function choice<const T extends string>(
  options: readonly T[],
  fallback: T,
  common: Common,
): Setting<T> {
  return setting(common, fallback, (value) => readChoice(value, options))
}

export function optionalChoice<T extends string>(
  options: readonly T[],
  common: Common,
): Setting<T | undefined> {
  return setting(common, undefined, (value) => readChoice(value, options))
}

function readChoice<T extends string>(value: string, options: readonly T[]): T {
  const found = options.find((option) => option === value)
  if (found === undefined) fail(`must be one of ${options.join(', ')}`, value)
  return found
}

export function integer(
  fallback: number,
  range: { min: number; max: number },
  common: Common,
): Setting<number> {
  return setting(common, String(fallback), (value) => {
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= range.min && number <= range.max)) {
      fail(`must be a whole number from ${range.min} to ${range.max}`, value)
    }
    return number
  })
}

/** A number, or `auto` if the program chooses it, which is the default. */
export function integerOrAuto(
  range: { min: number; max: number },
  common: Common,
): Setting<number | 'auto'> {
  return setting<number | 'auto'>(common, 'auto', (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (value === 'auto') return value
    if (number >= range.min && number <= range.max) return number
    return fail(`must be auto or a whole number from ${range.min} to ${range.max}`, value)
  })
}

export function flag(fallback: boolean, common: Common): Setting<boolean> {
  return setting(common, String(fallback), (value) => {
    if (value !== 'true' && value !== 'false') fail('must be true or false', value)
    return value === 'true'
  })
}

export function url(
  fallback: string,
  protocols: readonly string[],
  common: Common,
): Setting<string> {
  return setting(common, fallback, (value) => readUrl(value, protocols))
}

export function optionalUrl(
  protocols: readonly string[],
  common: Common,
): Setting<string | undefined> {
  return setting(common, undefined, (value) => readUrl(value, protocols))
}

/** The message does not show the value, because a URL can contain a password. */
function readUrl(value: string, protocols: readonly string[]): string {
  const protocol = URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : undefined
  if (protocol === undefined || !protocols.includes(protocol)) {
    fail(
      `must be a URL that starts with ${protocols.map((p) => `${p}://`).join(' or ')}`,
      undefined,
    )
  }
  return value
}

export function list(fallback: string, item: Form, common: Common): Setting<string[]> {
  return setting(common, fallback, (value) => {
    const items = value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
    const bad = items.find((part) => !item.accepts(part))
    if (bad !== undefined) fail(`must be a comma-separated list of ${item.what}`, bad)
    return items
  })
}

export type RateLimit = { points: number; window_seconds: number }

/** `POINTS/SECONDS`, for example `100/60`. */
export function rateLimit(fallback: string, common: Common): Setting<RateLimit> {
  return setting(common, fallback, (value) => {
    const [, points, seconds] = /^(\d{1,9})\/(\d{1,6})$/.exec(value) ?? []
    if (!(Number(points) >= 1 && Number(seconds) >= 1)) {
      fail('must be REQUESTS/SECONDS, for example 100/60', value)
    }
    return { points: Number(points), window_seconds: Number(seconds) }
  })
}

function fail(rule: string, value: string | undefined): never {
  throw new Error(value === undefined ? rule : `${rule}, not "${value}"`)
}
