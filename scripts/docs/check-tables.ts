/**
 * The tables of docs/checks.md. Each row is a case that the rules score, so that the table shows their
 * current findings and strengths.
 */

import { readConfig } from '../../src/config.ts'
import { assessSharing } from '../../src/modules/checks/device.ts'
import { assessIp } from '../../src/modules/checks/ip/assess-ip.ts'
import type { IpFacts } from '../../src/modules/checks/ip/ip-facts.ts'
import { sandboxCatalog } from '../../src/modules/checks/sandbox/catalog.ts'
import { assessReport, assessReportUse } from '../../src/modules/checks/signed-report/assess.ts'
import type { DeviceFacts } from '../../src/modules/checks/signed-report/facts.ts'
import { assessVelocity, VELOCITY_KINDS } from '../../src/modules/checks/velocity/velocity.ts'
import { assessPhone, type PhoneSignals } from '../../src/modules/phone/index.ts'
import { weightOf } from '../../src/modules/phone/report-weight.ts'
import { judge, type Opinion, type SharingRule } from '../../src/modules/reputation/index.ts'
import { score, WEIGHTS } from '../../src/modules/risk/index.ts'
import { DAY_MS } from '../../src/platform/time-units.ts'
import { emailCases, type FindingCase } from './email-cases.ts'
import { code, renderTable } from './table.ts'

const NOW = new Date('2026-01-01T00:00:00Z')

/** Tables by the name of their markers. */
export const checkTables = (): Record<string, string> => ({
  weights: weights(),
  'email findings': findings(emailCases(NOW)),
  'phone findings': findings(phoneCases()),
  'ip findings': findings(ipCases()),
  'device findings': findings(deviceCases()),
  'report findings': findings(reportCases()),
  'velocity findings': velocity(),
  'sandbox e-mails': sandbox('emails'),
  'sandbox phones': sandbox('phone_numbers'),
  'sandbox event types': renderTable(
    ['`event_type`', 'Effect'],
    Object.entries(sandboxCatalog(NOW).event_types).map(([name, text]) => [code(name), text]),
  ),
})

function weights(): string {
  const rows = Object.entries(WEIGHTS).map(([signal, weight]) => {
    const alone = score({ [signal]: 100 }, 0)
    return [code(signal), String(weight), `${alone.risk_score} (${alone.risk_level})`]
  })
  return renderTable(['Signal', 'Weight', 'Score when this signal alone is certain'], rows)
}

/** @throws Error for a case without a finding, because the table would be wrong */
function findings(cases: readonly FindingCase[]): string {
  const rows = cases.map(({ when, evidence }) => {
    if (!evidence) throw new Error(`The rules have no finding when ${when}`)
    return [code(evidence.finding), code(evidence.signal), String(evidence.score), when]
  })
  return renderTable(['Finding', 'Signal', 'Strength', 'When'], rows)
}

/** The defaults. */
const SHARING: SharingRule = readConfig({})

const MOBILE: PhoneSignals = {
  is_valid: true,
  carrier: null,
  line_type: 'mobile',
  country_code: 'US',
  recent_sim_swap: false,
  sim_swap_date: null,
  ported: false,
  ported_date: null,
}

function phoneCases(): FindingCase[] {
  const of = (signals: Partial<PhoneSignals>, opinions: Opinion[] = [], eventType?: string) =>
    assessPhone(
      { ...MOBILE, ...signals },
      { is_unassigned: false, service: null },
      judge(opinions, NOW, SHARING),
      eventType,
      NOW,
    )[0]
  const { bad, good } = weightOf('fraud', 100)
  const report = (voice: number): Opinion => ({
    is_own: voice === 0,
    is_own_voice: voice === 0,
    bad,
    good,
    shared_bad: bad,
    updated_at: NOW,
    voice_id: String(voice),
    is_trusted: true,
    since: NOW,
    requests: 0,
  })
  const others = (count: number) => Array.from({ length: count }, (_, index) => report(index + 1))
  const yesterday = new Date(NOW.getTime() - DAY_MS).toISOString()
  return [
    { when: 'the number is not assigned', evidence: of({ is_valid: false }) },
    { when: 'the SIM was swapped within the last 7 days', evidence: of({ recent_sim_swap: true }) },
    {
      when: 'the SIM was swapped within the last 7 days, for a `login`, `payment`, `withdrawal` or `transfer`',
      evidence: of({ recent_sim_swap: true }, [], 'transfer'),
    },
    { when: 'the number is a VoIP or personal number', evidence: of({ line_type: 'voip' }) },
    {
      when: 'the number moved to another carrier within the last 7 days',
      evidence: of({ ported: true, ported_date: yesterday }),
    },
    { when: 'your own organization reported fraud today', evidence: of({}, [report(0)]) },
    { when: 'two independent organizations reported fraud', evidence: of({}, others(2)) },
    { when: 'three or more independent organizations reported fraud', evidence: of({}, others(3)) },
  ]
}

function ipCases(): FindingCase[] {
  const of = (facts: Partial<IpFacts>) =>
    assessIp({
      facts: {
        country_code: 'US',
        asn: 1,
        organization: null,
        network_class: 'isp',
        service: null,
        ...facts,
      },
      phone_country_code: 'US',
    })[0]
  return [
    { when: 'the network is known for Tor exits', evidence: of({ service: 'tor' }) },
    { when: 'the network is known for proxies', evidence: of({ service: 'proxy' }) },
    { when: 'the network is known for VPN exits', evidence: of({ service: 'vpn' }) },
    { when: 'the address belongs to a data center', evidence: of({ network_class: 'hosting' }) },
    {
      when: 'the country differs from that of the phone (data centers excepted)',
      evidence: of({ country_code: 'DE' }),
    },
  ]
}

const deviceCases = (): FindingCase[] =>
  [2, 3, 5, 7, 10].map((people) => ({
    when: `${people} or more people used the device within 30 days`,
    evidence: assessSharing(people),
  }))

function reportCases(): FindingCase[] {
  const of = (device: DeviceFacts) => assessReport('valid', device, undefined)[0]
  const used = (people: number) => assessReportUse({ is_repeated: true, people })
  const not = (state: 'changed' | 'expired' | 'unknown_key' | 'unreadable') =>
    assessReport(state, undefined, undefined)[0]
  return [
    { when: 'a program drives the browser', evidence: of({ webdriver: true }) },
    { when: 'the browser runs without a window', evidence: of({ bot_kind: 'headless_chrome' }) },
    {
      when: 'the browser is part of a program, such as Electron',
      evidence: of({ bot_kind: 'electron' }),
    },
    {
      when: 'the browser claims to run on a phone, but its system or graphics are those of a computer',
      evidence: of({ is_mobile: true, platform: 'Win32' }),
    },
    {
      when: 'a computer without graphics hardware, such as a virtual one',
      evidence: of({ renderer: 'SwiftShader' }),
    },
    {
      when: 'properties of the browser were replaced or contradict each other',
      evidence: of({ alterations: ['navigator_replaced'] }),
    },
    { when: 'the same report was sent for another person before', evidence: used(2) },
    { when: 'the same report was sent before, for the same person or no one', evidence: used(1) },
    {
      when: 'the report was changed, or the `fingerprint_hash` next to it is another one',
      evidence: not('changed'),
    },
    {
      when: 'the report is older than `VIGIL_DEVICE_REPORT_MINUTES` (30), or dated ahead',
      evidence: not('expired'),
    },
    {
      when: 'the key is no active public key of the organization and mode',
      evidence: not('unknown_key'),
    },
    { when: 'the report is incomplete', evidence: not('unreadable') },
  ]
}

const BURSTS = [5, 10, 20, 50, 200]

/** Scores of an identity without history that is seen `n` times within five minutes. */
function velocity(): string {
  const rows = VELOCITY_KINDS.map((kind) => {
    const scores = BURSTS.map((n) => {
      const counts = { count_5m: n, count_1h: n, count_1d: n, count_7d: n }
      return String(assessVelocity({ kind, counts })?.score ?? 0)
    })
    return [code(`${kind}_velocity`), ...scores]
  })
  return renderTable(['Finding', ...BURSTS.map((n) => `${n} times`)], rows)
}

function sandbox(list: 'emails' | 'phone_numbers'): string {
  const rows = sandboxCatalog(NOW)[list].map((entry) => {
    const { description, risk_score, risk_level, ...named } = entry
    const value = Object.values(named).join()
    return [code(value), String(risk_score ?? '–'), String(risk_level ?? '–'), String(description)]
  })
  return renderTable(['Value', 'Score', 'Level', 'Meaning'], rows)
}
