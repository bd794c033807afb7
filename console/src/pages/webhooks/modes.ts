/** Which events an endpoint can get. */
export const MODES = [
  { value: 'live', label: 'Live data: what live keys cause' },
  { value: 'test', label: 'Test data: what test keys cause' },
] as const
