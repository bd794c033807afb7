/** `vigil emulate dns`. */
import * as emulator from '../../../emulators/dns.ts'
import { type Kind, load } from './kind.ts'

export const dns: Kind = {
  help: 'a DNS server (UDP and TCP)',
  port: 5353,
  start: async ({ port: at, host, scenario }) => {
    const server = await emulator.startDns({
      port: at,
      host,
      scenario: scenario ? load(scenario, emulator.readDnsScenario) : emulator.example,
    })
    return {
      json: { kind: 'dns', address: server.address },
      lines: [`DNS on ${server.address}`, `Use it with VIGIL_DNS_SERVERS=${server.address}`],
      close: server.close,
    }
  },
}
