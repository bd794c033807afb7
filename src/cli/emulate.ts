/** `vigil emulate`: small stand-ins of the outside world, for development and tests. */
import { type Command, Option } from 'commander'
import type { Io } from './command.ts'
import { androidManagement } from './emulate/android-management.ts'
import { apns } from './emulate/apns.ts'
import { camara } from './emulate/camara.ts'
import { dns } from './emulate/dns.ts'
import { fcm } from './emulate/fcm.ts'
import type { EmulateOptions, Kind } from './emulate/kind.ts'
import { rdap } from './emulate/rdap.ts'
import { receiver } from './emulate/receiver.ts'
import { listenFault, port } from './options.ts'
import { stopSignal } from './stop-signal.ts'

const KINDS: Record<string, Kind> = {
  dns,
  rdap,
  camara,
  receiver,
  'android-management': androidManagement,
  fcm,
  apns,
}

type Given = Omit<EmulateOptions, 'port'> & { port?: number }

export function emulateCommands(program: Command, io: Io): void {
  const emulate = program.command('emulate').description('stand-ins of the outside world')
  for (const [kind, kindOf] of Object.entries(KINDS)) {
    const { help, port: usual, options: own = [], hasScenario = true, start } = kindOf
    const command = emulate.command(kind)
    for (const each of own) {
      if (each instanceof Option) command.addOption(each)
      else command.option(...each)
    }
    if (hasScenario) {
      command.option(
        '--scenario <file>',
        'JSON file with what to answer (default: a built-in example)',
      )
    }
    command
      .description(help)
      .option(
        '--port <port>',
        `port to listen on, 0 picks a free one (default: ${portsOf(usual)})`,
        port,
      )
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .option('--json', 'print one JSON object')
      .action(async (given: Given) => {
        const options = { ...given, port: given.port ?? usualPort(usual, given) }
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

const usualPort = (usual: Kind['port'], { environment = 'production' }: Given): number =>
  typeof usual === 'number' ? usual : usual[environment]

const portsOf = (usual: Kind['port']): string =>
  typeof usual === 'number' ? String(usual) : Object.values(usual).join(' or ')
