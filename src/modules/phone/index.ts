/** Phone intelligence of checks: number facts, SIM swaps, porting, and outcome reports. */
export { loadCarriers } from './carriers.ts'
export { createCamaraSimSwap } from './providers/camara-sim-swap.ts'
export { createEnumPortability } from './providers/enum-portability.ts'
export type { ClientAuth } from './providers/oauth-client.ts'
export type { PortingProvider, SimSwapProvider } from './providers/provider.ts'
export { assessPhone } from './risk.ts'
export { phoneRoutes } from './routes.ts'
export { type PhoneSignals, phoneNumber, phoneSchemas, phoneSignals } from './schema.ts'
export {
  createPhone,
  type Phone,
  type PhoneFindings,
  PORTING_KIND,
  phoneLookupKey,
} from './service.ts'
export { sweepReports } from './store.ts'
