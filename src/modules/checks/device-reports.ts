/**
 * Evidence from what a device reports about itself. The SDK of the organization's choice names these
 * members as it likes, and a customer may have reasons for them. So a report explains, and it counts
 * only once several organizations have confirmed fraud with the same device.
 */
import type { Evidence } from '../risk/index.ts'

type Report = { finding: string; detail: string; names: readonly string[] }

const REPORTS: readonly Report[] = [
  {
    finding: 'reports_emulator',
    detail: 'The device reports that it is an emulator',
    names: ['emulator', 'simulator', 'virtualdevice'],
  },
  {
    finding: 'reports_rooted',
    detail: 'The device reports that it is rooted or jailbroken',
    names: ['rooted', 'root', 'jailbroken', 'jailbreak'],
  },
  {
    finding: 'reports_automation',
    detail: 'The device reports that a program drives it',
    names: ['webdriver', 'bot', 'headless', 'automated', 'automation'],
  },
]

/** Members of `device` that are examined; nothing else limits their number. */
const MEMBERS_MAX = 200

/** Less than the outcomes of the own organization: others alone make a device a challenge, and no more. */
const BORNE_OUT_STRENGTH = 70

/**
 * @param weight how much decisions of several organizations about the device bear the reports out, 0 to 1
 */
export function reportsOf(device: Record<string, unknown> | undefined, weight: number): Evidence[] {
  const score = Math.round(BORNE_OUT_STRENGTH * weight)
  const support = score > 0 ? ', and several organizations have confirmed fraud with it' : ''
  return claimsOf(device).map(({ finding, detail }) => ({
    signal: 'device',
    score,
    finding,
    detail: `${detail}${support}.`,
  }))
}

export const hasReports = (device: Record<string, unknown> | undefined): boolean =>
  claimsOf(device).length > 0

function claimsOf(device: Record<string, unknown> | undefined): readonly Report[] {
  if (device === undefined) return []
  const set = new Set<string>()
  for (const [name, value] of Object.entries(device).slice(0, MEMBERS_MAX)) {
    if (value === true || value === 1 || value === 'true') set.add(plain(name))
  }
  return REPORTS.filter(({ names }) => names.some((name) => set.has(name)))
}

/** `is_rooted`, `isRooted` and `rooted` are the same. */
function plain(name: string): string {
  const letters = name.toLowerCase().replaceAll(/[^a-z]/g, '')
  return /^(?:is|has|was)./.test(letters) ? letters.replace(/^(?:is|has|was)/, '') : letters
}
