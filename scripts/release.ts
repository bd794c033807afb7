/**
 * `npm run release`: writes a release into the folder `release`: the package, the folder that the container
 * image is built from, the packages of the clients, a bill of materials (CycloneDX), and the checksums of all these files.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageRoot } from '../src/platform/package-root.ts'
import { releaseSbom, type Sbom } from './sbom.ts'
import { THIRD_PARTY } from './third-party.ts'

type Manifest = { name: string; version: string; optionalDependencies: Record<string, string> }

const IMAGE_FILES = ['Dockerfile', '.dockerignore', 'compose.yaml']

/**
 * @param root folder of a checkout that has been built
 * @param target replaced
 * @returns paths of the files, relative to the target
 */
export function writeRelease(root: string, target: string): string[] {
  rmSync(target, { recursive: true, force: true })
  const image = join(target, 'image')
  mkdirSync(image, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const file = `${manifest.name}-${manifest.version}.tgz`
  npm(root, 'pack', '--ignore-scripts', '--pack-destination', target)
  for (const name of IMAGE_FILES) copyFileSync(join(root, name), join(image, name))
  copyFileSync(join(target, file), join(image, file))
  packClients(root, join(target, 'sdk'), manifest.version)
  const sbom = `${manifest.name}-${manifest.version}.cdx.json`
  writeFileSync(
    join(target, sbom),
    `${JSON.stringify(describeContents(root, manifest), null, 2)}\n`,
  )
  const files = filesIn(target).map((path) => relative(target, path))
  const sums = files.map((path) => `${sha256(join(target, path))}  ${path}\n`)
  writeFileSync(join(target, 'SHA256SUMS'), sums.join(''))
  return [...files, 'SHA256SUMS']
}

const NPM_CLIENTS = ['browser', 'device-js', 'edge-agent', 'push-js', 'server-ts']

function packClients(root: string, target: string, version: string): void {
  const built = join(root, 'dist', 'sdk')
  mkdirSync(target)
  const folders = NPM_CLIENTS.map((name) => join(built, name))
  npm(root, 'pack', ...folders, '--ignore-scripts', '--pack-destination', target)
  packSources(join(built, 'push-kotlin'), target, `vigil-push-kotlin-${version}`)
  const python = join(built, 'server-python')
  const readme = readFileSync(join(python, 'README.md'), 'utf8')
  const metadata = `Metadata-Version: 2.1\nName: vigil-client\nVersion: ${version}\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n${readme}`
  packSources(python, target, `vigil_client-${version}`, { 'PKG-INFO': metadata })
}

/** Writes a source distribution, which needs no build tools of the language. */
function packSources(
  source: string,
  target: string,
  name: string,
  added: Readonly<Record<string, string>> = {},
): void {
  const folder = join(target, name)
  cpSync(source, folder, { recursive: true })
  for (const [file, text] of Object.entries(added)) writeFileSync(join(folder, file), text)
  execFileSync('tar', ['-czf', `${folder}.tar.gz`, '-C', target, name])
  rmSync(folder, { recursive: true })
}

function describeContents(root: string, { name, optionalDependencies }: Manifest): Sbom {
  const everything = JSON.parse(npm(root, 'sbom', '--sbom-format', 'cyclonedx')) as Sbom
  const rows = readFileSync(join(root, THIRD_PARTY), 'utf8').matchAll(/^\| (\S+) \| (\d\S*) \|/gm)
  const contained = [...rows].map(([, party, version]) => `${party}@${version}`)
  return releaseSbom(everything, { name, contained, optional: Object.keys(optionalDependencies) })
}

function npm(cwd: string, ...args: string[]): string {
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  return execFileSync('npm', args, {
    cwd,
    stdio: [...stdio],
    maxBuffer: 64 * 1024 * 1024,
  }).toString()
}

const sha256 = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex')

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesIn(path) : [path]
    })
    .toSorted()

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const target = join(packageRoot(), 'release')
  for (const path of writeRelease(packageRoot(), target)) process.stdout.write(`release/${path}\n`)
}
