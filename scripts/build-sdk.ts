/**
 * Builds the client packages into dist/sdk: the browser SDK as one file for script tags and one for
 * bundlers, the device SDK as modules, the edge agent as a library and a program, the push client and
 * the clients for servers as libraries.
 */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, buildSync } from 'esbuild'
import { packageRoot } from '../src/platform/package-root.ts'
import { describeParty, renderThirdParties } from './third-party.ts'

/** Each folder that it creates can be published unchanged. */
export function buildSdk(root: string, target: string): void {
  buildBrowserSdk(root, join(target, 'browser'))
  buildDeviceSdk(root, join(target, 'device-js'))
  buildEdgeAgent(root, join(target, 'edge-agent'))
  buildPushClient(root, join(target, 'push-js'))
  buildKotlinClient(root, join(target, 'push-kotlin'))
  buildServerClient(root, join(target, 'server-ts'))
  buildPythonClient(root, join(target, 'server-python'))
}

export function buildBrowserSdk(root: string, target: string): void {
  const source = join(root, 'sdk', 'browser')
  const bundle = (file: string, options: BuildOptions): void =>
    build(join(source, 'src', 'index.ts'), join(target, file), {
      minify: true,
      target: 'es2020',
      ...options,
    })
  bundle('vigil-rum.js', { format: 'iife', globalName: 'VigilRum' })
  bundle('vigil-rum.mjs', { format: 'esm' })
  writeTypes(
    join(source, 'src', 'types.ts'),
    join(target, 'vigil-rum.d.ts'),
    'export declare function init(options: RumOptions): RumHandle',
  )
  copyTexts(root, source, target)
}

/** A small file that pages load, and the file that it loads when the device is measured. */
export function buildDeviceSdk(root: string, target: string): void {
  const source = join(root, 'sdk', 'device-js')
  const files = { index: 'vigil-device', signals: 'vigil-device-signals' }
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const fingerprint = join(target, 'fingerprint.mjs')
  writeFileSync(fingerprint, usedSources(root))
  buildSync({
    entryPoints: Object.entries(files).map(([name, out]) => ({
      in: join(source, 'src', `${name}.ts`),
      out,
    })),
    outdir: target,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    legalComments: 'none',
    target: 'es2020',
    alias: { '@fingerprintjs/fingerprintjs': fingerprint },
    logLevel: 'error',
  })
  rmSync(fingerprint)
  writeTypes(
    join(source, 'src', 'types.ts'),
    join(target, 'vigil-device.d.ts'),
    'export declare function init(options: DeviceOptions): DeviceHandle',
  )
  const parties = DEVICE_PARTIES.map((name) => describeParty(join(root, 'node_modules', name)))
  writeFileSync(join(target, 'THIRD-PARTY.md'), renderThirdParties(parties, INTRO))
  const signals = join(target, `${files.signals}.mjs`)
  const names = parties.map(({ name, version }) => `${name} ${version}`).join(', ')
  const notice = `/*! Contains ${names}, Copyright (c) FingerprintJS, Inc, MIT License */`
  writeFileSync(signals, `${notice}\n${readFileSync(signals, 'utf8')}`)
  copyTexts(root, source, target)
}

const INTRO = '`vigil-device-signals.mjs` contains these packages in compiled form.'
const DEVICE_PARTIES = ['@fingerprintjs/fingerprintjs', '@fingerprintjs/botd']

/** The large ones of those that `sdk/device-js` does not use: a quarter of the package. */
const UNUSED_SOURCES = [
  'canvas',
  'domBlockers',
  'fontPreferences',
  'screenFrame',
  'math',
  'dateTimeLocale',
  'applePay',
  'privateClickMeasurement',
  'webGlExtensions',
]

/** esbuild does not remove members of an object that nothing reads. */
function usedSources(root: string): string {
  const file = join(root, 'node_modules', '@fingerprintjs', 'fingerprintjs', 'dist', 'fp.esm.js')
  return UNUSED_SOURCES.reduce(
    (text, name) => {
      const shorter = text.replace(new RegExp(`^ {4}${name}: \\w+,\\n`, 'm'), '')
      if (shorter === text) throw new Error(`${file} has no source ${name}`)
      return shorter
    },
    readFileSync(file, 'utf8'),
  )
}

export function buildEdgeAgent(root: string, target: string): void {
  const source = join(root, 'sdk', 'edge-agent')
  for (const name of ['index', 'bin']) {
    build(join(source, 'src', `${name}.ts`), join(target, `${name}.js`), {
      platform: 'node',
      target: 'node20',
      format: 'esm',
    })
  }
  writeTypes(
    join(source, 'src', 'types.ts'),
    join(target, 'index.d.ts'),
    'export declare function createEdgeAgent(options: EdgeAgentOptions): EdgeAgent',
  )
  copyTexts(root, source, target)
}

/** Metro and other bundlers of apps transpile it further where a device needs that. */
export function buildPushClient(root: string, target: string): void {
  const source = join(root, 'sdk', 'push-js')
  build(join(source, 'src', 'index.ts'), join(target, 'vigil-push.mjs'), {
    minify: true,
    target: 'es2020',
    format: 'esm',
  })
  writeTypes(
    join(source, 'src', 'types.ts'),
    join(target, 'vigil-push.d.ts'),
    'export declare function createPush(options: PushOptions): Push',
  )
  copyTexts(root, source, target)
}

/** Its public types have hundreds of names in several files, so the compiler writes the declarations. */
export function buildServerClient(root: string, target: string): void {
  const source = join(root, 'sdk', 'server-ts')
  build(join(source, 'src', 'index.ts'), join(target, 'index.js'), {
    target: 'es2022',
    format: 'esm',
  })
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const project = join(source, 'tsconfig.build.json')
  execFileSync(process.execPath, [tsc, '-p', project, '--outDir', join(target, 'types')])
  copyTexts(root, source, target)
}

/** The sources are the package. What tools have written next to them is left out. */
export function buildPythonClient(root: string, target: string): void {
  const source = join(root, 'sdk', 'server-python')
  rmSync(target, { recursive: true, force: true })
  mkdirSync(join(target, 'vigil_client'), { recursive: true })
  for (const name of readdirSync(join(source, 'vigil_client'))) {
    if (!/\.py$|^py\.typed$/.test(name)) continue
    copyFileSync(join(source, 'vigil_client', name), join(target, 'vigil_client', name))
  }
  copyTexts(root, source, target, 'pyproject.toml')
}

/** The sources are the package, because Maven is not installed everywhere. */
export function buildKotlinClient(root: string, target: string): void {
  const source = join(root, 'sdk', 'push-kotlin')
  rmSync(target, { recursive: true, force: true })
  cpSync(join(source, 'src', 'main'), join(target, 'src', 'main'), { recursive: true })
  copyTexts(root, source, target, 'pom.xml')
}

function build(entry: string, outfile: string, options: BuildOptions): void {
  buildSync({ entryPoints: [entry], outfile, bundle: true, logLevel: 'error', ...options })
}

/** The file with the public types imports nothing and therefore serves as the declaration file. */
function writeTypes(types: string, target: string, entry: string): void {
  writeFileSync(target, `${readFileSync(types, 'utf8')}\n${entry}\n`)
}

function copyTexts(root: string, source: string, target: string, manifest = 'package.json'): void {
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
  for (const file of [manifest, 'README.md']) {
    copyFileSync(join(source, file), join(target, file))
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = packageRoot()
  buildSdk(root, join(root, 'dist', 'sdk'))
}
