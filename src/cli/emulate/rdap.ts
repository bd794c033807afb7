/** `vigil emulate rdap`: registration data with its bootstrap registry, and WHOIS. */
import * as emulator from '../../../emulators/rdap.ts'
import { type Kind, load } from './kind.ts'

export const rdap: Kind = {
  help: 'an RDAP server with its bootstrap registry, and a WHOIS server',
  port: 5380,
  start: async ({ port: at, host, scenario }) => {
    const server = await emulator.startRdap({
      port: at,
      host,
      scenario: scenario ? load(scenario, emulator.readRdapScenario) : emulator.example,
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
}
