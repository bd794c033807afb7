/** `vigil emulate camara`: an operator's SIM Swap interface. */
import * as emulator from '../../../emulators/camara.ts'
import { type Kind, load } from './kind.ts'

export const camara: Kind = {
  help: 'a CAMARA SIM Swap 2.1 operator with its token endpoint',
  port: 5390,
  start: async ({ port: at, host, scenario }) => {
    const server = await emulator.startCamara({
      port: at,
      host,
      scenario: scenario ? load(scenario, emulator.readCamaraScenario) : emulator.example,
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
}
