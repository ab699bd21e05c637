{
  description = "A Lisp workshop for coding agents and the people beside them";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "aarch64-darwin" "x86_64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      manifest = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package;
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "lispwright";
          inherit (manifest) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package" "lispwright" ];
          # What the tests need is installed by `cargo xtask test`.
          doCheck = false;
          env.LISPWRIGHT_COMMIT = self.shortRev or "not built from a commit";
          meta = {
            description = "A Lisp workshop for coding agents and the people beside them";
            homepage = manifest.repository;
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "lispwright";
          };
        };
      });
    };
}
