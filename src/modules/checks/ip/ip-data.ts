/** The compiled tables of IP addresses: the announcing network, and the country of use. */
import { join } from 'node:path'
import { openRanges } from '../../../platform/lists/ranges.ts'
import {
  asUint32,
  readSections,
  type Sections,
  sectionOf,
} from '../../../platform/lists/sections.ts'
import { openStrings } from '../../../platform/lists/string-table.ts'
import { parseIpHalves } from './ip-halves.ts'

export const IP_DATA_FILE = 'ip.bin'

export const IP_SECTIONS = {
  network_v4: 'network_v4',
  network_v6: 'network_v6',
  asn: 'asn',
  organization: 'organization',
  country_v4: 'country_v4',
  country_v6: 'country_v6',
  country: 'country',
} as const

export type Network = { readonly asn: number; readonly organization: string }

export type IpData = {
  /** Returns the announcing network; undefined for an invalid or unannounced address. */
  networkOf(address: string): Network | undefined
  /** ISO 3166-1 alpha-2 code, upper case. */
  countryOf(address: string): string | undefined
}

/** Reads the tables that the build compiled into the folder. */
export function loadIpData(folder: string): IpData {
  return openIpData(readSections(join(folder, IP_DATA_FILE)))
}

export function openIpData(sections: Sections): IpData {
  const networks = {
    4: openRanges(IP_SECTIONS.network_v4, sections),
    6: openRanges(IP_SECTIONS.network_v6, sections),
  }
  const countries = {
    4: openRanges(IP_SECTIONS.country_v4, sections),
    6: openRanges(IP_SECTIONS.country_v6, sections),
  }
  const asns = asUint32(sectionOf(sections, IP_SECTIONS.asn))
  const organizations = openStrings(IP_SECTIONS.organization, sections)
  const codes = openStrings(IP_SECTIONS.country, sections)
  const valueIn = (tables: typeof networks, address: string): number => {
    const halves = parseIpHalves(address)
    return halves === undefined ? 0 : tables[halves.version].valueAt(halves.high, halves.low)
  }
  return {
    networkOf: (address) => {
      const index = valueIn(networks, address) - 1
      const asn = asns[index]
      return asn === undefined ? undefined : { asn, organization: organizations.at(index) ?? '' }
    },
    countryOf: (address) => {
      const index = valueIn(countries, address) - 1
      return index < 0 ? undefined : codes.at(index)
    },
  }
}
