/**
 * Writes dist/THIRD-PARTY.md: the packages that the built program and the console contain, with their
 * licenses. Most licenses require that their text accompanies every copy.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

export const THIRD_PARTY = 'dist/THIRD-PARTY.md'

export type ThirdParty = {
  name: string
  version: string
  /** SPDX expression of package.json. */
  license: string
  author: string
  /** Texts of the files about the license and the authors; empty if the package has none. */
  texts: string[]
}

type Manifest = {
  name: string
  version: string
  license?: string | { type: string }
  author?: string | { name: string }
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

const PROGRAM =
  'The program and the console contain these packages in compiled form. Data of others is listed in NOTICE.'
/** Builds the console, but is no part of it. */
const CONSOLE_TOOLS = ['vite']
const LICENSE_FILE = /^(licen[cs]e|copying|notice)([.-]|$)/i

/** @returns the packages of the program and the console, by name */
export function thirdParties(root: string, metafile: Metafile): ThirdParty[] {
  const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
  )
  // Only the pages of this package are copied; its code is bundled.
  const folders = new Set([...bundled, 'node_modules/@fastify/swagger-ui'])
  for (const folder of consolePackages(root)) folders.add(folder)
  // A version can be installed in several folders.
  const parties = new Map(
    [...folders].map((folder) => {
      const party = describeParty(join(root, folder))
      return [`${party.name}@${party.version}`, party]
    }),
  )
  return [...parties.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** The console's packages and theirs. The compiled pages may leave some of them out. */
function consolePackages(root: string): Set<string> {
  const { devDependencies = {} } = readManifest(join(root, 'console'))
  const wanted = Object.keys(devDependencies).filter((name) => !CONSOLE_TOOLS.includes(name))
  const folders = new Set(wanted.map((name) => `node_modules/${name}`))
  for (const folder of folders) {
    for (const name of Object.keys(readManifest(join(root, folder)).dependencies ?? {})) {
      const own = `${folder}/node_modules/${name}`
      folders.add(existsSync(join(root, own)) ? own : `node_modules/${name}`)
    }
  }
  return folders
}

export function describeParty(folder: string): ThirdParty {
  const { name, version, license, author } = readManifest(folder)
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file))
  return {
    name,
    version,
    license: (typeof license === 'object' ? license.type : license) ?? 'unknown',
    author: (typeof author === 'object' ? author.name : author) ?? 'its authors',
    texts: files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim()),
  }
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/**
 * @param intro what contains the packages
 * @returns Markdown with a table of the packages, and each text once
 */
export function renderThirdParties(parties: readonly ThirdParty[], intro = PROGRAM): string {
  const rows = parties.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`)
  const sections = [...new Set(parties.map(textOf))].map((text) => {
    const alike = parties.filter((party) => textOf(party) === text).map(({ name }) => name)
    return `## ${alike.join(', ')}\n\n\`\`\`\`text\n${text}\n\`\`\`\``
  })
  const start = [
    '# Third-party software',
    intro,
    ['| Package | Version | License |', '|---|---|---|', ...rows].join('\n'),
  ]
  return `${[...start, ...sections].join('\n\n')}\n`
}

const textOf = ({ texts, license, author }: ThirdParty): string =>
  texts.length > 0
    ? texts.join('\n\n')
    : `The package has no file with its license. Its package.json names the license ${license} and ${author}.`

export function writeThirdParties(root: string, metafile: Metafile): void {
  writeFileSync(join(root, THIRD_PARTY), renderThirdParties(thirdParties(root, metafile)))
}
