import { useMode, useOrg } from '../../../shell/organization.ts'

/** Whose logs are asked for. */
export type LogScope = { org_id: string; mode: 'live' | 'test' }

export function useLogScope(): LogScope {
  const { id: org_id } = useOrg()
  return { org_id, mode: useMode() }
}

export const LOGS_PATH = '/console/api/edge/logs'
