/**
 * Looks up number portability in ENUM, public or private: NAPTR records of the number's domain (RFC
 * 6116) with a telephone URI (RFC 4769) whose parameters describe porting (RFC 4694).
 */
import type { NaptrRecord } from 'node:dns'
import { known, type Lookup, unknown } from '../../../platform/lookup.ts'
import { createDns, type DnsOptions, dnsAbsence, failureOfDns } from '../../../platform/net/dns.ts'
import { rewriteWithNaptr } from './naptr.ts'
import { isE164, type PortingFact, type PortingProvider } from './provider.ts'

export type EnumOptions = DnsOptions & {
  /** Root domain, `e164.arpa` or that of a carrier. */
  readonly suffix: string
}

/** ENUM has the new carrier of a ported number, but never the date. */
export function createEnumPortability(options: EnumOptions): PortingProvider {
  const query = createDns(options)
  return async function lookupPorting(phone, signal) {
    if (!isE164(phone)) return unknown('not_applicable')
    return await query({ signal }, async (resolver) => {
      try {
        return readRecords(await resolver.resolveNaptr(enumName(phone, options.suffix)), phone)
      } catch (error) {
        return unknown(dnsAbsence(error) === undefined ? failureOfDns(error) : 'not_applicable')
      }
    })
  }
}

/** `+442079460148` → `8.4.1.0.6.4.9.7.0.2.4.4.e164.arpa` (RFC 6116 section 3.2). */
export function enumName(phone: string, suffix: string): string {
  const digits = phone.slice(1).split('').toReversed()
  return [...digits, suffix.replace(/^\.|\.$/g, '')].join('.')
}

/** Returns the first usable telephone URI, in the order of the records. */
function readRecords(records: readonly NaptrRecord[], phone: string): Lookup<PortingFact> {
  const usable = records
    .filter((record) => /^E2U\+pstn:tel$/i.test(record.service) && /^u$/i.test(record.flags))
    .toSorted((a, b) => a.order - b.order || a.preference - b.preference)
  for (const record of usable) {
    const uri = rewriteWithNaptr(record.regexp, phone)
    const fact = uri === undefined ? undefined : portingOf(uri)
    if (fact !== undefined) return known(fact)
  }
  return unknown(usable.length > 0 ? 'bad_answer' : 'not_applicable')
}

/**
 * `npdi` means that the portability database was queried. `rn` is the routing number of a ported
 * number, and `cic` the carrier. Returns undefined for a URI with neither `npdi` nor `rn`.
 */
export function portingOf(uri: string): PortingFact | undefined {
  const [, parameters] = /^tel:\+?[\d().-]+((?:;[^;]+)*)$/i.exec(uri) ?? []
  if (parameters === undefined) return undefined
  const values = new Map<string, string>()
  for (const parameter of parameters.split(';').slice(1)) {
    const [name = '', value = ''] = parameter.split('=')
    values.set(name.toLowerCase(), value)
  }
  const ported = (values.get('rn') ?? '') !== ''
  if (!ported && !values.has('npdi')) return undefined
  const carrier = (values.get('cic') ?? '').replace(/[().-]/g, '')
  return { ported, ported_date: null, carrier_code: carrier === '' ? null : carrier }
}
