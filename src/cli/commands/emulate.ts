/** `vigil emulate`: emulators of external services, for development and tests. */
import { type Command, Option } from 'commander'
import type { EmulateOptions, EmulatorCommand } from '../emulate/emulator-command.ts'
import { EMULATORS } from '../emulate/emulators.ts'
import type { Io } from '../io.ts'
import { listenFault, port } from '../options.ts'
import { stopSignal } from '../stop-signal.ts'

type ParsedOptions = Omit<EmulateOptions, 'port'> & { port?: number }

export function emulateCommands(program: Command, io: Io): void {
  const emulate = program.command('emulate').description('run an emulator of an external service')
  for (const [name, emulator] of Object.entries(EMULATORS)) {
    const { help, port: standard, options: own = [], hasScenario = true, start } = emulator
    const command = emulate.command(name)
    for (const each of own) {
      if (each instanceof Option) command.addOption(each)
      else command.option(...each)
    }
    if (hasScenario) {
      const scenarioHelp = 'JSON file with the responses (default: a built-in example)'
      command.option('--scenario <file>', scenarioHelp)
    }
    const portHelp = `port to listen on; 0 picks a free port (default: ${portsOf(standard)})`
    command
      .description(`emulate ${help}`)
      .option('--port <port>', portHelp, port)
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .option('--json', 'print one JSON object')
      .action(async (parsed: ParsedOptions) => {
        const options = { ...parsed, port: parsed.port ?? defaultPort(standard, parsed) }
        const stop = stopSignal(false)
        const server = await start(options).catch((error: unknown) => {
          const hint = 'Choose others with --host and --port'
          throw listenFault(error, { ...options, hint, otherwise: hint.toLowerCase() })
        })
        if (options.json) io.stdout(JSON.stringify(server.json))
        else for (const line of [...server.lines, 'Press Ctrl-C to stop it']) io.stdout(line)
        await stop.requested
        await server.close()
      })
  }
}

const defaultPort = (
  standard: EmulatorCommand['port'],
  { environment = 'production' }: ParsedOptions,
): number => (typeof standard === 'number' ? standard : standard[environment])

const portsOf = (standard: EmulatorCommand['port']): string =>
  typeof standard === 'number' ? String(standard) : Object.values(standard).join(' or ')
