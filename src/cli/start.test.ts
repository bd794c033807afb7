/** The modules that the command line imports before it knows which command to run. */
import { describe, expect, it } from 'vitest'
import { readSources } from '../../test/support/source.ts'

const sources = new Map(readSources().map((file) => [file.path, file]))
const loaded = loadedBy('src/main.ts')

describe('help, the version and errors of the command line', () => {
  it('load no package other than the parser of the command line', () => {
    const packages = [...loaded].filter((from) => !sources.has(from) && !from.startsWith('node:'))
    expect(packages).toEqual(['commander'])
  })

  it('load the settings, the declarations of the commands, and little else', () => {
    const files = [...loaded].filter((from) => sources.has(from))
    const own = /^src\/(main|config)\.ts$|^src\/(settings|cli\/commands|cli\/emulate)\//
    expect(files.filter((path) => !own.test(path)).toSorted()).toEqual([
      'src/app/version.ts',
      'src/cli/io.ts',
      'src/cli/options.ts',
      'src/cli/program.ts',
      'src/cli/stop-signal.ts',
      'src/modules/accounts/tables.ts',
      'src/modules/keys/tables.ts',
      'src/modules/lists/tables.ts',
      'src/modules/push/tables.ts',
      'src/modules/reviews/tables.ts',
      'src/platform/dispatch/retry-schedule.ts',
      'src/platform/exact-json.ts',
      'src/platform/ids.ts',
      'src/platform/net/address-bytes.ts',
      'src/platform/net/address-text.ts',
      'src/platform/net/allow-list.ts',
      'src/platform/net/forbidden-address.ts',
      'src/platform/operator-error.ts',
      'src/platform/postgres/named-urls.ts',
      'src/platform/settings.ts',
      'src/platform/tracing/headers.ts',
    ])
  })
})

/** Files and packages that are loaded with a file; what it imports on demand is not. */
function loadedBy(start: string): Set<string> {
  const seen = new Set([start])
  for (const path of seen) {
    const file = sources.get(path)
    const imports = file?.imports ?? []
    for (const { from, isType, isOnDemand } of imports) {
      if (!isType && !isOnDemand) seen.add(from)
    }
  }
  return seen
}
