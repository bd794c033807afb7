/** `vigil emulate`: small stand-ins of the outside world, for development and tests. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { startAndroidManagement } from '../../emulators/android-management/index.ts'
import * as camara from '../../emulators/camara.ts'
import { keepAuthority } from '../../emulators/certificate.ts'
import * as dns from '../../emulators/dns.ts'
import * as rdap from '../../emulators/rdap.ts'
import * as receiver from '../../emulators/receiver.ts'
import { reasonOf } from '../platform/operator-error.ts'
import { CommandError, type Io } from './command.ts'
import { listenFault, port } from './options.ts'
import { stopSignal } from './stop-signal.ts'

type EmulateOptions = {
  port: number
  host: string
  scenario?: string
  json?: boolean
  folder?: string
  secret?: string
}
type Started = { json: object; lines: string[]; close: () => Promise<void> }

type Kind = {
  help: string
  port: number
  /** What it answers is told by a file; default true. */
  hasScenario?: boolean
  options?: readonly (readonly [flags: string, help: string, usual?: string])[]
  start: (options: EmulateOptions) => Promise<Started>
}

const RECEIVER_FOLDER = 'data/receiver'

const KINDS: Record<string, Kind> = {
  dns: {
    help: 'a DNS server (UDP and TCP)',
    port: 5353,
    start: async ({ port: at, host, scenario }) => {
      const server = await dns.startDns({
        port: at,
        host,
        scenario: scenario ? load(scenario, dns.readDnsScenario) : dns.example,
      })
      return {
        json: { kind: 'dns', address: server.address },
        lines: [`DNS on ${server.address}`, `Use it with VIGIL_DNS_SERVERS=${server.address}`],
        close: server.close,
      }
    },
  },
  rdap: {
    help: 'an RDAP server with its bootstrap registry, and a WHOIS server',
    port: 5380,
    start: async ({ port: at, host, scenario }) => {
      const server = await rdap.startRdap({
        port: at,
        host,
        scenario: scenario ? load(scenario, rdap.readRdapScenario) : rdap.example,
      })
      return {
        json: { kind: 'rdap', url: server.url, whois_address: server.whois.address },
        lines: [
          `RDAP on ${server.url}, WHOIS on ${server.whois.address}`,
          `Use them with VIGIL_RDAP_BOOTSTRAP_URL=${server.bootstrap_url} VIGIL_WHOIS_SERVER=${server.whois.address}`,
        ],
        close: server.close,
      }
    },
  },
  camara: {
    help: 'a CAMARA SIM Swap 2.1 operator with its token endpoint',
    port: 5390,
    start: async ({ port: at, host, scenario }) => {
      const server = await camara.startCamara({
        port: at,
        host,
        scenario: scenario ? load(scenario, camara.readCamaraScenario) : camara.example,
      })
      return {
        json: { kind: 'camara', url: server.sim_swap_url, token_url: server.token_url },
        lines: [
          `CAMARA SIM Swap on ${server.url}`,
          `Use it with VIGIL_SIM_SWAP_URL=${server.sim_swap_url} VIGIL_SIM_SWAP_TOKEN_URL=${server.token_url}`,
        ],
        close: server.close,
      }
    },
  },
  receiver: {
    help: 'an HTTPS receiver of webhooks that verifies signatures and makes trouble when told to',
    port: 5443,
    options: [
      ['--folder <path>', 'where its certificate authority is kept', RECEIVER_FOLDER],
      ['--secret <secret>', 'signing secret of the endpoint (more by PUT /control)'],
    ],
    start: async ({ port: at, host, scenario, folder, secret }) => {
      const authority = authorityIn(resolve(folder ?? RECEIVER_FOLDER))
      const server = await receiver.startReceiver({
        port: at,
        host,
        authority,
        scenario: {
          ...(scenario ? load(scenario, receiver.readReceiverScenario) : receiver.example),
          ...(secret !== undefined && { secrets: [secret] }),
        },
      })
      const allow = server.url.replace('https://', '')
      return {
        json: { kind: 'receiver', url: server.url, allow, ca_file: authority.file },
        lines: [
          `Webhook receiver on ${server.url}`,
          `Use it with VIGIL_WEBHOOK_ALLOW=${allow} NODE_EXTRA_CA_CERTS=${authority.file}`,
          `What came: curl --cacert ${authority.file} ${server.url}/received`,
        ],
        close: server.close,
      }
    },
  },
  'android-management': {
    help: 'the Android Management API with its sign-up, OAuth, Pub/Sub and phones',
    port: 5490,
    hasScenario: false,
    options: [['--folder <path>', 'where its state is kept (default: in memory only)']],
    start: async ({ port: at, host, folder }) => {
      const kept = folder === undefined ? {} : { folder: resolve(folder) }
      const server = await startAndroidManagement({ port: at, host, ...kept })
      return {
        json: { kind: 'android-management', url: server.url },
        lines: [
          `Android Management API on ${server.url}`,
          `Use it with VIGIL_ANDROID_MANAGEMENT_URL=${server.url}`,
          `Its phones: ${server.url}/`,
          `A service account: curl ${server.url}/control/service-account`,
        ],
        close: server.close,
      }
    },
  },
}

export function emulateCommands(program: Command, io: Io): void {
  const emulate = program.command('emulate').description('stand-ins of the outside world')
  for (const [kind, kindOf] of Object.entries(KINDS)) {
    const { help, port: usual, options: own = [], hasScenario = true, start } = kindOf
    const command = emulate.command(kind)
    for (const each of own) command.option(...each)
    if (hasScenario) {
      command.option(
        '--scenario <file>',
        'JSON file with what to answer (default: a built-in example)',
      )
    }
    command
      .description(help)
      .option('--port <port>', 'port to listen on, 0 picks a free one', port, usual)
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .option('--json', 'print one JSON object')
      .action(async (options: EmulateOptions) => {
        const stop = stopSignal(false)
        const server = await start(options).catch((error: unknown) => {
          const hint = 'Choose others by --host and --port'
          throw listenFault(error, { ...options, hint, otherwise: hint.toLowerCase() })
        })
        if (options.json) io.stdout(JSON.stringify(server.json))
        else for (const line of [...server.lines, 'Ctrl-C stops it']) io.stdout(line)
        await stop.requested
        await server.close()
      })
  }
}

function authorityIn(folder: string): ReturnType<typeof keepAuthority> {
  try {
    return keepAuthority(folder)
  } catch (cause) {
    throw new CommandError(`No authority can be kept in ${folder}: ${reasonOf(cause)}`, { cause })
  }
}

function load<T>(file: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new CommandError(`The scenario ${file} cannot be used: ${reasonOf(cause)}`, { cause })
  }
}
