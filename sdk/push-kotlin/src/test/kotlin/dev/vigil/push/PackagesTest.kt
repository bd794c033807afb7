/** A test that is passed as soon as all packages are installed; a run of it alone downloads them. */
package dev.vigil.push

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class PackagesTest {
    @Test
    fun `the initial state has the form that the contract describes`() {
        assertEquals(State().toJson(), readState(State().toJson()).toJson())
    }
}
