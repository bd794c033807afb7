/**
 * The carrier to which a number range was allocated. A ported number still gets its first carrier.
 * Some plans (most of the North American one) name no carrier; the answer is null then.
 */
import { join } from 'node:path'
import { openPrefixes } from '../../platform/lists/digit-prefixes.ts'
import { readSections, type Sections } from '../../platform/lists/sections.ts'
import { openStrings } from '../../platform/lists/string-table.ts'

export const CARRIERS_FILE = 'carriers.bin'
export const CARRIERS_PREFIX = 'carriers'

export type Carriers = {
  /** Finds the carrier by the longest prefix of an E.164 number, with or without its plus sign. */
  carrierOf(e164: string): string | null
}

/** Reads the prefixes that the build compiled into the folder. */
export function loadCarriers(folder: string): Carriers {
  return openCarriers(readSections(join(folder, CARRIERS_FILE)))
}

export function openCarriers(sections: Sections): Carriers {
  const prefixes = openPrefixes(CARRIERS_PREFIX, sections)
  const names = openStrings(CARRIERS_PREFIX, sections)
  return {
    carrierOf: (e164) => {
      const index = prefixes.longestMatch(e164.replace(/^\+/, ''))
      return index === undefined ? null : (names.at(index) ?? null)
    },
  }
}
