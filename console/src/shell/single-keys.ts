/** Whether keys without Ctrl or Alt act. People who speak to their computer switch them off. */
import { readStored, store } from './browser-storage.ts'

const OFF = 'vigil:single_keys_off'

export const areShortcutsOn = (): boolean => readStored(OFF) === null

export const switchShortcuts = (isOn: boolean): void => store(OFF, isOn ? null : 'off')
