/** The compiled tables behind an IP address: who announces it, and the country it is used in. */
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
  organisation: 'organisation',
  country_v4: 'country_v4',
  country_v6: 'country_v6',
  country: 'country',
} as const

export type Network = { readonly asn: number; readonly organisation: string }

export type IpData = {
  /** The announcing network, undefined for what is no address or is not announced. */
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
  const organisations = openStrings(IP_SECTIONS.organisation, sections)
  const codes = openStrings(IP_SECTIONS.country, sections)
  const valueIn = (tables: typeof networks, address: string): number => {
    const halves = parseIpHalves(address)
    return halves === undefined ? 0 : tables[halves.version].valueAt(halves.high, halves.low)
  }
  return {
    networkOf: (address) => {
      const index = valueIn(networks, address) - 1
      const asn = asns[index]
      return asn === undefined ? undefined : { asn, organisation: organisations.at(index) ?? '' }
    },
    countryOf: (address) => {
      const index = valueIn(countries, address) - 1
      return index < 0 ? undefined : codes.at(index)
    },
  }
}
