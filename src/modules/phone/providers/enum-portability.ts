/**
 * Number portability from ENUM, public or private: NAPTR records of the number's domain (RFC 6116)
 * with a telephone URI (RFC 4769) whose parameters tell of porting (RFC 4694).
 */
import type { NaptrRecord } from 'node:dns'
import { known, type Lookup, unknown } from '../../../platform/lookup.ts'
import { createDns, type DnsOptions, dnsAbsence, failureOfDns } from '../../../platform/net/dns.ts'
import { rewriteWithNaptr } from './naptr.ts'
import { isE164, type PortingFact, type PortingProvider } from './provider.ts'

export type EnumOptions = DnsOptions & {
  /** The tree to look in, `e164.arpa` or a carrier's own. */
  readonly suffix: string
}

/** ENUM tells that a number was ported and to whom, never when. */
export function createEnumPortability(options: EnumOptions): PortingProvider {
  const ask = createDns(options)
  return async function lookupPorting(phone, signal) {
    if (!isE164(phone)) return unknown('not_applicable')
    return await ask({ signal }, async (resolver) => {
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

/** The first usable telephone URI, in the order that the records ask for. */
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
 * `npdi`: the portability database was asked. `rn`: the routing number that it gave, which only a
 * ported number has. `cic`: the carrier. A URI with neither of the first two says nothing.
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
