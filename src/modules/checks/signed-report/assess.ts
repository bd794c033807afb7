/** Evidence from a report of the device SDK: how it was signed and what it says. Pure. */
import type { Evidence } from '../../risk/index.ts'
import type { DeviceFacts } from './facts.ts'

export type ReportState = 'valid' | 'changed' | 'expired' | 'unknown_key' | 'unreadable'

/** Earlier uses of the id of a report. */
export type ReportUse = {
  is_repeated: boolean
  /** Different people with whom the report was sent, this check included. */
  people: number
}

const evidence = (score: number, finding: string, detail: string): Evidence => ({
  signal: 'device',
  score,
  finding,
  detail,
})

const UNUSABLE: Readonly<Record<Exclude<ReportState, 'valid'>, Evidence>> = {
  changed: evidence(
    70,
    'tampered_report',
    'The report of the device was changed after the SDK had signed it.',
  ),
  expired: evidence(
    10,
    'expired_report',
    'The report of the device is too old, or the clock of the browser is wrong.',
  ),
  // Neither says anything about the person: a key may be revoked, a field of a form too short.
  unknown_key: evidence(
    0,
    'unknown_report_key',
    'The report of the device is signed with a key that is no active public key of this organization and mode.',
  ),
  unreadable: evidence(0, 'unreadable_report', 'The report of the device is incomplete.'),
}

/** Browsers inside of programs for people, such as terminals. */
const EMBEDDED = ['electron', 'cef', 'cefsharp', 'awesomium', 'webdriverio']
const VIRTUAL_GRAPHICS = /swiftshader|llvmpipe|virtualbox|vmware|parallels|basic render|emulator/i
const COMPUTERS = /^(?:Win|Mac|Linux (?:x86_64|i[3-6]86))/

/** @param device of a valid report; undefined for another one, of which nothing counts */
export function assessReport(
  state: ReportState,
  device: DeviceFacts | undefined,
  sentFingerprint: string | undefined,
): Evidence[] {
  if (state !== 'valid') return [UNUSABLE[state]]
  if (device === undefined) return []
  const { fingerprint_hash } = device
  const isOther =
    fingerprint_hash !== undefined &&
    sentFingerprint !== undefined &&
    sentFingerprint !== fingerprint_hash
  const found = [
    isOther
      ? evidence(
          70,
          'tampered_report',
          'The fingerprint next to the report of the device is not the one in the report.',
        )
      : undefined,
    automationOf(device),
    emulationOf(device),
    alterationOf(device),
  ]
  return found.filter((one) => one !== undefined)
}

function automationOf({ webdriver, bot_kind }: DeviceFacts): Evidence | undefined {
  if (bot_kind === 'headless_chrome')
    return evidence(75, 'headless_browser', 'The browser runs without a window.')
  if (webdriver === true || (bot_kind !== undefined && isBot(bot_kind))) {
    const by = bot_kind === undefined || !isBot(bot_kind) ? 'a program' : bot_kind
    return evidence(75, 'automated_browser', `The browser is driven by ${by}.`)
  }
  return bot_kind !== undefined && EMBEDDED.includes(bot_kind)
    ? evidence(0, 'embedded_browser', `The page is shown inside a program (${bot_kind}).`)
    : undefined
}

/** `unknown` is a contradiction, which extensions cause too. */
const isBot = (kind: string): boolean => kind !== 'unknown' && !EMBEDDED.includes(kind)

function emulationOf({ is_mobile, platform, renderer }: DeviceFacts): Evidence | undefined {
  const isVirtual = renderer !== undefined && VIRTUAL_GRAPHICS.test(renderer)
  if (is_mobile === true && (isVirtual || (platform !== undefined && COMPUTERS.test(platform)))) {
    const from = isVirtual ? `its graphics are ${renderer}` : `its system is ${platform}`
    return evidence(50, 'emulated_device', `The device claims to be a phone, but ${from}.`)
  }
  return isVirtual
    ? evidence(10, 'virtual_graphics', `The computer has no graphics hardware: ${renderer}.`)
    : undefined
}

function alterationOf({ alterations = [], bot_kind }: DeviceFacts): Evidence | undefined {
  const all = bot_kind === 'unknown' ? [...alterations, 'contradiction'] : alterations
  if (all.length === 0) return undefined
  const what = all.map((name) => name.replaceAll('_', ' ')).join(', ')
  return evidence(
    30,
    'altered_browser',
    `A script or an extension has changed the browser: ${what}.`,
  )
}

/** One person who sends a report again may be a retry; two people cannot have the same report. */
export function assessReportUse({ is_repeated, people }: ReportUse): Evidence | undefined {
  if (!is_repeated) return undefined
  return people > 1
    ? evidence(
        85,
        'copied_report',
        `The same report of a device was sent for ${people} different people.`,
      )
    : evidence(0, 'repeated_report', 'The same report of the device was sent before.')
}
