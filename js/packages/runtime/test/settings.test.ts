import { expect, it } from "vitest";
import { settingsIn } from "../src/settings.ts";

function at(href: string) {
  return settingsIn(new URL(href) as unknown as Location);
}

it("reads what the host wrote", () => {
  expect(at("http://127.0.0.1:8765/#token=a%2Bb&worker=3&threads=2")).toEqual({
    server: { base: "http://127.0.0.1:8765/", token: "a+b", worker: 3 },
    threads: 2,
  });
});

it("takes one thread where the host says none, and nothing without a token", () => {
  expect(at("http://127.0.0.1/#token=t")?.threads).toBe(1);
  expect(at("http://127.0.0.1/#token=t&threads=-1")?.threads).toBe(1);
  expect(at("http://127.0.0.1/")).toBeUndefined();
});
