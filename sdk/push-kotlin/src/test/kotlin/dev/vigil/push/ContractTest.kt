/** This client against the contract that the clients for all platforms share (sdk/push-contract/README.md). */
package dev.vigil.push

import java.io.File
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DynamicTest
import org.junit.jupiter.api.DynamicTest.dynamicTest
import org.junit.jupiter.api.TestFactory

class ContractTest {
    @TestFactory
    fun contract(): List<DynamicTest> {
        val files = File("../push-contract").listFiles { file -> file.extension == "json" }.orEmpty()
        assertTrue(files.any { it.name == "registration.json" }, "the contract has cases")
        return files.sorted().flatMap { file ->
            Json.parseToJsonElement(file.readText()).jsonObject.getValue("cases").jsonArray
                .map { it.jsonObject }
                .map { given ->
                    val name = "${file.nameWithoutExtension}: ${given.text("name")}"
                    dynamicTest(name) { ContractCase(given).run() }
                }
        }
    }
}
