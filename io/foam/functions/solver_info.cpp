// SPDX-License-Identifier: Apache-2.0
#include "io/foam/functions/columns.hpp"

#include <fmt/format.h>

namespace tessera::io::foam::functions {

/// Solver, residuals and iterations of the first solution of each field in the step: START/solverInfo.dat.
class SolverInfoTable final : public FunctionObject {
 public:
  static inline std::string const help = "fields (T);";
  explicit SolverInfoTable(FunctionEntry const& entry)
      : context_(entry.context),
        columns_(entry.dictionary, entry.context),
        fields_(select_fields(entry, false)) {
    if (entry.dictionary.get_or<bool>("writeResidualFields", false))
      entry.dictionary.fail("writeResidualFields", "writeResidualFields yes is not supported, supported: no");
  }

  void write(StepTime const& now, FunctionOutput& output) override {
    std::string text;
    if (!begun_) {
      text = columns_.comment("Solver information") + "\n" + columns_.comment("Time");
      for (auto const& field : fields_)
        for (char const* what : {"_solver", "_initial", "_final", "_iters", "_converged"})
          text += columns_.column(field + what);
      text += "\n";
      begun_ = true;
    }
    text += columns_.time(now);
    for (auto const& field : fields_)
      for (auto const& solve : context_.solves) {
        if (solve.field != field) continue;
        text +=
            fmt::format("\t{}\t{}\t{}\t{}\t{}", solve.preconditioner + solve.solver, columns_.scientific(solve.initial),
                        columns_.scientific(solve.final), solve.iterations, solve.converged);
        break;
      }
    output.append(context_.control.start_name() + "/solverInfo.dat", text + "\n");
  }

 private:
  FunctionContext const& context_;
  Columns columns_;
  std::vector<std::string> fields_;
  bool begun_ = false;
};

[[maybe_unused]] static bool const added =
    FunctionObjects::add<SolverInfoTable>("solverInfo", "residuals and iterations of the linear solver, a row a step");

}  // namespace tessera::io::foam::functions
