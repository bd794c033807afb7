/** The portal that a page of webhooks is shown in. In the console, there is none. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { OpenPortal } from '../../../../src/modules/portals/schema.ts'
import type { Answer } from '../../api/client.ts'
import { type Mode, useMode } from '../../shell/organization.ts'

export const PortalContext = createContext<Answer<OpenPortal> | undefined>(undefined)

export const usePortal = (): Answer<OpenPortal> | undefined => useContext(PortalContext)

/** A portal is for one mode. */
export function useWebhookMode(): Mode {
  const mode = useMode()
  return usePortal()?.mode ?? mode
}
