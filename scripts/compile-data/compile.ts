/**
 * Compiles the reference data (mail domains, IP ranges, carrier prefixes) from the development
 * packages into small binary files under build/data, unless they are up to date. Run by
 * `npm run build`.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DOMAIN_LISTS_FILE } from '../../src/modules/checks/email/list-file.ts'
import { IP_DATA_FILE } from '../../src/modules/checks/ip/ip-data.ts'
import { CARRIERS_FILE } from '../../src/modules/phone/carriers.ts'
import { packSections, type Sections } from '../../src/platform/lists/sections.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import { inputKey, isUpToDate, STAMP_FILE } from './stamp.ts'

const WORK_PREFIX = '.data-'
const ABANDONED_AFTER_MS = 3_600_000

export type Product = { file: string; compile: () => Promise<Sections> }

// The compilers are imported on demand, so that an up-to-date build does not load their packages.
const PRODUCTS: readonly Product[] = [
  {
    file: DOMAIN_LISTS_FILE,
    compile: async () => (await import('./domain-lists.ts')).compileDomainLists(),
  },
  {
    file: IP_DATA_FILE,
    compile: async () => (await import('./ip-ranges.ts')).compileIpRanges(),
  },
  {
    file: CARRIERS_FILE,
    compile: async () => (await import('./carriers.ts')).compileCarriers(),
  },
]

export type CompileOptions = {
  readonly outFolder: string
  /** Called with a line for each file that was written. */
  readonly print?: (line: string) => void
  /** Default: the reference data of the product. */
  readonly products?: readonly Product[]
}

/** Returns 'up_to_date' when versions, sources and outputs are those of the last run. */
export async function compileData({
  outFolder,
  print = () => {},
  products = PRODUCTS,
}: CompileOptions): Promise<'compiled' | 'up_to_date'> {
  const key = inputKey()
  const files = products.map(({ file }) => file)
  if (isUpToDate(outFolder, { key, files })) return 'up_to_date'
  mkdirSync(outFolder, { recursive: true })
  // The working folder is next to the outputs, because renaming must stay on one file system. Files are
  // moved whole and the stamp last, so that an interrupted run leaves no stamp and parallel runs agree.
  removeAbandoned(dirname(outFolder))
  const workFolder = mkdtempSync(join(dirname(outFolder), WORK_PREFIX))
  try {
    for (const { file, compile } of products) {
      const bytes = packSections(await compile())
      writeFileSync(join(workFolder, file), bytes)
      print(`reference data: ${file}, ${(bytes.byteLength / 1e6).toFixed(2)} MB`)
    }
    writeFileSync(join(workFolder, STAMP_FILE), JSON.stringify({ key }))
    rmSync(join(outFolder, STAMP_FILE), { force: true })
    for (const file of [...files, STAMP_FILE])
      renameSync(join(workFolder, file), join(outFolder, file))
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
  return 'compiled'
}

/** Removes working folders of killed runs, which are older than any run takes. */
function removeAbandoned(parent: string): void {
  const oldest = Date.now() - ABANDONED_AFTER_MS
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name)
    const isAbandoned =
      name.startsWith(WORK_PREFIX) &&
      (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? oldest) < oldest
    if (isAbandoned) rmSync(folder, { recursive: true, force: true })
  }
}

function isProgram(): boolean {
  const program = process.argv[1]
  return program !== undefined && pathToFileURL(program).href === import.meta.url
}

if (isProgram()) {
  await compileData({
    outFolder: join(packageRoot(), 'build', 'data'),
    print: (line) => process.stdout.write(`${line}\n`),
  })
}
