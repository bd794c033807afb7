export type { Evidence, EvidenceSignal } from '../risk/index.ts'
