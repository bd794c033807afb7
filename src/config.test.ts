import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  ConfigError,
  environmentName,
  isStartedByNpm,
  readConfig,
  readEnvironment,
  SETTINGS,
} from './config.ts'

/** Settings that accept any text; it is validated where it is used. */
const FREE_TEXT = [
  'backup_to',
  'backup_passphrase',
  'backup_s3_region',
  'backup_s3_access_key_id',
  'backup_s3_secret_access_key',
  'data_dir',
  'oidc_client_id',
  'oidc_client_secret',
  'oidc_name',
  'oidc_role_claim',
  'oidc_scopes',
  'sim_swap_client_id',
  'sim_swap_client_secret',
  'sim_swap_private_key',
  'sim_swap_key_id',
  'sim_swap_scope',
]

const faultOf = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

describe('settings', () => {
  it('all have a default that is valid, or are off', () => {
    const config = readConfig({})
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, log_level: 'info' })
    expect(config.database_url).toBeUndefined()
    expect(Object.keys(config)).toEqual(Object.keys(SETTINGS))
  })

  it('that are empty or blank count as not set', () => {
    expect(readConfig({ VIGIL_PORT: '', VIGIL_HOST: '  ', DATABASE_URL: '' })).toEqual(
      readConfig({}),
    )
  })

  it('are read without the blanks around them', () => {
    expect(readConfig({ VIGIL_PORT: ' 9000 ' }).port).toBe(9000)
  })

  it('leave the rest of the environment alone', () => {
    expect(faultOf({ PATH: '/bin', npm_config_x: '1', VIGILANT: 'yes' })).toBe('')
  })
})

describe('an unknown name', () => {
  it.each([
    ['VIGIL_PORTT', 'VIGIL_PORT'],
    ['VIGIL_PROT', 'VIGIL_PORT'],
    ['VIGIL_LOGLEVEL', 'VIGIL_LOG_LEVEL'],
    ['VIGIL_DATADIR', 'VIGIL_DATA_DIR'],
    ['VIGIL_DATABASE_URL', 'DATABASE_URL'],
    ['VIGIL_REDIS_URL', 'REDIS_URL'],
    ['VIGIL_CLICKHOUSE_URL', 'CLICKHOUSE_URL'],
  ])('%s is refused with the nearest name, %s', (given, meant) => {
    expect(faultOf({ [given]: 'x' })).toBe(
      `${given} is not a setting of Vigil; did you mean ${meant}?`,
    )
  })

  it('that resembles no other is refused without a guess', () => {
    expect(faultOf({ VIGIL_QUANTUM_FLUX: 'x' })).toBe(
      'VIGIL_QUANTUM_FLUX is not a setting of Vigil.',
    )
  })
})

describe('a bad value', () => {
  it.each([
    ['VIGIL_PORT', '70000', 'must be a whole number from 0 to 65535, not "70000"'],
    ['VIGIL_LOG_LEVEL', 'loud', 'must be one of fatal, error, warn, info, debug, not "loud"'],
    ['VIGIL_RDAP_ENABLED', 'yes', 'must be true or false, not "yes"'],
    ['VIGIL_RATE_LIMIT_CHECK', '10', 'must be REQUESTS/SECONDS, for example 100/60, not "10"'],
    [
      'VIGIL_DNS_SERVERS',
      '1.1.1.1,a b',
      'must be a comma-separated list of IP addresses with an optional :PORT (IPv6 then in brackets), not "a b"',
    ],
    ['VIGIL_PUBLIC_URL', 'example.org', 'must be a URL that starts with http:// or https://'],
    ['DATABASE_URL', 'mysql://x', 'must be a URL that starts with postgres:// or postgresql://'],
  ])('of %s is refused by name', (name, value, rule) => {
    expect(faultOf({ [name]: value })).toBe(`${name} ${rule}.`)
  })

  it.each(Object.keys(SETTINGS))('of %s is refused', (key) => {
    const name = environmentName(key)
    if (FREE_TEXT.includes(key)) {
      expect(faultOf({ [name]: ':nonsense 99999999:' })).toBe('')
      return
    }
    for (const nonsense of [':nonsense 99999999:', '-1/0', '{}']) {
      expect(faultOf({ [name]: nonsense })).toMatch(new RegExp(`^${name} must be [^\\n]+\\.$`))
    }
  })

  it.each([
    ['VIGIL_DNS_SERVERS', ['dns.example.com', '1.2.3.4:99999', '1.2.3.4,::1:53x', '[::1']],
    ['VIGIL_TRUSTED_PROXIES', ['10.0.0.0/99', '10.0.0.0/0', '300.1.1.1', ':::', 'localhost']],
    ['VIGIL_WHOIS_SERVER', ['a b:99999999', 'a b', 'whois.iana.org:99999', 'http://whois']],
    ['VIGIL_HOST', ['http://localhost', '[::1]', '127.0.0.1:80', '1.2.3']],
    ['VIGIL_ENUM_SUFFIX', ['e164 arpa', 'e164..arpa']],
    ['VIGIL_SIM_SWAP_KEY_ALGORITHM', ['foo', 'none', 'HS256', 'es256']],
    ['VIGIL_END_USER_ADDRESS', ['true', 'Forwarded']],
  ])('of %s is refused when it resembles a valid one', (name, texts) => {
    for (const text of texts) expect(faultOf({ [name]: text }), text).toContain(`${name} must be `)
  })

  it('does not hide others: each has its own line', () => {
    const fault = faultOf({
      VIGIL_PORT: 'x',
      VIGIL_RDAP_ENABLED: 'x',
      VIGIL_NO_SUCH_THING_HERE: '',
    })
    expect(fault.split('\n')).toHaveLength(3)
  })

  it('of a secret setting is never shown', () => {
    const secrets = Object.entries(SETTINGS).filter(([, { secret }]) => secret)
    expect(secrets.length).toBeGreaterThan(4)
    for (const [key] of secrets) {
      for (const value of ['hunter2', 'http:hunter2', '1/hunter2', 'ftp://u:hunter2@host']) {
        expect(faultOf({ [environmentName(key)]: value })).not.toContain('hunter2')
      }
    }
  })

  it.each(['password', 'secret', 'private_key', 'master_key', 'token'])(
    'is never shown for a setting whose name ends in %s, because it is marked secret',
    (word) => {
      const named = Object.entries(SETTINGS).filter(([key]) => new RegExp(`${word}$`).test(key))
      for (const [key, { secret }] of named) expect({ key, secret }).toEqual({ key, secret: true })
    },
  )
})

describe('the .env file', () => {
  const folders: string[] = []
  const folderWith = (make: (file: string) => void): string => {
    const folder = mkdtempSync(join(tmpdir(), 'vigil-env-'))
    folders.push(folder)
    make(join(folder, '.env'))
    return folder
  }
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
  })

  it('adds to the environment, which wins', () => {
    const folder = folderWith((file) => {
      writeFileSync(file, '# comment\nVIGIL_PORT=9001\nPATH=/nowhere\nVIGIL_HOST="0.0.0.0" # all\n')
    })
    expect(readEnvironment(folder)).toMatchObject({
      VIGIL_PORT: '9001',
      VIGIL_HOST: '0.0.0.0',
      PATH: process.env['PATH'],
    })
  })

  it('need not exist', () => {
    expect(readEnvironment(folderWith(() => undefined))).toEqual({ ...process.env })
  })

  it('is named in the error when it cannot be read', () => {
    const folder = folderWith((file) => mkdirSync(file))
    expect(() => readEnvironment(folder)).toThrow(`Cannot read ${folder}/.env: EISDIR`)
  })
})

describe('being started by npm', () => {
  it.each([
    ['start', true],
    ['npx', true],
    ['demo', true],
    ['test', false],
    [undefined, false],
  ])('under the event %s is %s', (event, expected) => {
    expect(isStartedByNpm({ npm_lifecycle_event: event })).toBe(expected)
  })
})
