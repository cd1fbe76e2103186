// SPDX-License-Identifier: Apache-2.0
#include "io/foam/control.hpp"

#include "io/foam/libraries.hpp"
#include "io/foam/schemes.hpp"
#include "tests/support/foam.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {
namespace {

using namespace io::foam;

Control control_of(std::string const& text, ControlNeeds const& needs = {}) {
  auto d = dictionary(text, "controlDict");
  auto control = read_control(d, needs);
  control.functions.clear();  // they point into d
  return control;
}
std::string control_error(std::string const& text, ControlNeeds const& needs = {}) {
  return error_of([&] { control_of(text, needs); });
}
std::string const times =
    "application laplacianFoam; startFrom startTime; startTime 0; stopAt endTime; endTime 864000; deltaT 86400;\n";

TEST(FoamControl, ReadsACaseMadeForOpenFoam) {
  auto const control = control_of(
      times + "writeControl timeStep; writeInterval 10; purgeWrite 0; writeFormat binary; writePrecision 16;\n"
              "writeCompression off; timeFormat general; timePrecision 8; runTimeModifiable false;\n"
              "libs (\"libfieldFunctionObjects.so\" \"libmine.so\"); functions {}");
  EXPECT_EQ(control.application, "laplacianFoam");
  EXPECT_EQ(control.end_time, 864000.0);
  EXPECT_EQ(control.delta_t, 86400.0);
  EXPECT_EQ(control.write_interval, 10);
  EXPECT_EQ(control.write_format, "binary");
  EXPECT_EQ(control.steps(), 10);
  EXPECT_EQ(control.time_name(86400), "86400");
  EXPECT_EQ(control.time_name(0), "0");
  EXPECT_EQ(control.time_name(0.1 + 0.2), "0.3");
}

TEST(FoamControl, CountsStepsAsOpenFoamDoes) {
  // the run goes on while t < endTime - deltaT / 2
  EXPECT_EQ(control_of("application x; endTime 1; deltaT 0.1;").steps(), 10);
  EXPECT_EQ(control_of("application x; endTime 1.04; deltaT 0.1;").steps(), 10);
  EXPECT_EQ(control_of("application x; endTime 1.06; deltaT 0.1;").steps(), 11);
  EXPECT_EQ(control_of("application x; endTime 0; deltaT 0.1;").steps(), 0);
}

TEST(FoamControl, CountsNoStepsUpToAnEndThatIsNotMeantToBeReached) {
  for (std::string const times : {"endTime 1e30; deltaT 1;", "endTime 1e15; deltaT 1e-6;", "endTime 1; deltaT 1e-30;",
                                  "endTime 1e300; deltaT 1e-300;"})
    EXPECT_EQ(control_of("application x; " + times).steps(), std::numeric_limits<long>::max()) << times;
  EXPECT_EQ(control_of("application x; endTime 1e18; deltaT 1;").steps(), 1000000000000000000);
}

TEST(FoamControl, RaisesThePrecisionOfNamesUntilTheyTellTimesApart) {
  auto const times = [](std::string const& format) {
    return control_of("application x; endTime 1; deltaT 15; timePrecision 1; " + format);
  };
  // v1912: the name read back is off by at most min(10^-timePrecision, deltaT / 10)
  auto control = times("");
  EXPECT_EQ(control.time_name(105), "1e+02");
  EXPECT_EQ(control.name_tolerance(15), 0.1);
  EXPECT_EQ(control.name_tolerance(0.5), 0.05);
  EXPECT_EQ(control.precision_for(100, 0.1), 1);
  EXPECT_EQ(control.precision_for(15, 0.1), 2);
  EXPECT_EQ(control.precision_for(105, 0.1), 3);
  EXPECT_EQ(control.precision_for(105, 5), 1) << "100 is near enough";
  EXPECT_TRUE(control.named(105, "1e+02"));
  EXPECT_TRUE(control.named(105, "105"));
  EXPECT_FALSE(control.named(105, "106"));
  EXPECT_EQ(times("timeFormat fixed;").precision_for(0.125, 1e-6), 3);
  EXPECT_EQ(times("timeFormat scientific;").precision_for(105, 0.1), 2);
  // six digits are too few above a million seconds
  auto const usual = control_of("application x; endTime 1; deltaT 1;");
  EXPECT_EQ(usual.time_name(1000001), usual.time_name(1000002));
  EXPECT_EQ(usual.precision_for(1000001, usual.name_tolerance(1)), 7);
  EXPECT_EQ(usual.precision_for(1000000, usual.name_tolerance(1)), 6);
  EXPECT_EQ(usual.precision_for(1.0 / 3, 0), 16) << "all digits that there are";
  // files stay where they were begun
  control = control_of("application x; startTime 105; endTime 200; deltaT 1; timePrecision 1;");
  EXPECT_EQ(control.start_name(), "1e+02");
  control.begun_as = control.start_name();
  control.time_precision = 3;
  EXPECT_EQ(control.start_name(), "1e+02");
}

TEST(FoamControl, TakesNoEndTimeWhereSomethingElseStopsTheRun) {
  for (std::string const stop : {"writeNow", "noWriteNow", "nextWrite"}) {
    auto const control = control_of("application x; endTime 1; deltaT 0.1; stopAt " + stop + ";");
    EXPECT_EQ(control.stop_at, stop);
    EXPECT_EQ(control.end_time, std::numeric_limits<double>::infinity());
    EXPECT_EQ(control.steps(), std::numeric_limits<long>::max());
  }
  EXPECT_EQ(control_of("application x; endTime 1; deltaT 0.1;").steps(0.5), 5);
  for (std::string const by : {"clockTime", "cpuTime"}) {
    EXPECT_EQ(control_of(times + "writeInterval 60; writeControl " + by + ";").write_control, by);
    EXPECT_EQ(control_error(times + "writeControl " + by + ";"),
              "controlDict:2: no writeInterval, expected one [s] with writeControl " + by);
  }
}

TEST(FoamControl, NeedsNoTimeStepForAutomata) {
  auto const control = control_of("application percolation;", {false, {}});
  EXPECT_FALSE(control.end_time);
  EXPECT_FALSE(control.delta_t);
  EXPECT_EQ(control_error("application percolation;").substr(0, 11), "controlDict");
}

TEST(FoamControl, RefusesWhatWouldChangeTheRun) {
  EXPECT_EQ(control_error("application x; stopAt never;"),
            "controlDict:1: stopAt 'never' is not supported, supported: endTime writeNow noWriteNow nextWrite");
  EXPECT_EQ(control_error(times + "writeControl daily;"),
            "controlDict:2: writeControl 'daily' is not supported, supported: timeStep runTime adjustableRunTime "
            "adjustable clockTime cpuTime none");
  EXPECT_EQ(control_error(times + "writeCompression zstd;").substr(0, 37), "controlDict:2: writeCompression 'zstd");
  EXPECT_EQ(control_error(times + "adjustTimeStep yes;"),
            "controlDict:2: adjustTimeStep yes is not supported, supported: no");
  EXPECT_EQ(control_error(times + "writeInterval 2.5;"),
            "controlDict:2: writeInterval 2.5 is no whole number of steps (writeControl timeStep)");
  EXPECT_EQ(control_error(times + "functions { minmax {\n type fieldMinMax; fields (T); } }"),
            "controlDict:3: function object 'minmax' of type 'fieldMinMax' is not supported, supported: none");
  EXPECT_EQ(control_error(times + "writeIntervall 2;"),
            "controlDict:2: unknown entry 'writeIntervall'; did you mean 'writeInterval'?");
  EXPECT_EQ(control_error("application x; startTime 5; endTime 4; deltaT 1;"),
            "controlDict:1: endTime 4 is before startTime 5");
}

TEST(FoamControl, RefusesASecondWriteControlThatV1912PassesOver) {
  for (std::string const entry :
       {"secondaryWriteControl runTime;", "secondaryWriteInterval 5;", "secondaryPurgeWrite 2;"}) {
    auto const error = control_error(times + entry);
    EXPECT_NE(error.find(":2: " + entry.substr(0, entry.find(' ')) + " is not supported"), std::string::npos) << error;
    EXPECT_NE(error.find("type writeObjects"), std::string::npos) << error;
  }
}

TEST(FoamControl, RefusesNamesThatWouldLeadOutOfTheCase) {
  for (std::string const name : {"../../escape", "a/b", "/tmp/x", ".."}) {
    auto d = dictionary(times + "functions { " + name + " { type probes; } }", "controlDict");
    EXPECT_EQ(error_of([&] {
                read_control(d, {true, {"probes"}});
              }),
              "controlDict:2: the function object '" + name + "' gives a folder its name, expected a word without '/'");
  }
}

TEST(FoamControl, KnowsTheLibrariesOfOpenFoamByAnyForm) {
  for (char const* name : {"libfieldFunctionObjects.so", "libsampling", "fvOptions", "libOpenFOAM.so", "overset",
                           "libswak4Foam.so", "libutilityFunctionObjects.so", "liquidPropertiesFvPatchFields"})
    EXPECT_TRUE(is_openfoam_library(name)) << name;
  for (char const* name : {"libparity.so", "parity", "", "lib", ".so", "./libfvOptions.so", "constant/libsampling.so",
                           "fv", "fvOptions sampling"})
    EXPECT_FALSE(is_openfoam_library(name)) << name;
  tests::Scratch const scratch;
  tests::write_bytes(scratch / "libmine.so", "");
  setenv("FOAM_USER_LIBBIN", scratch.path().c_str(), 1);
  EXPECT_TRUE(is_openfoam_library("libmine.so") && is_openfoam_library("mine"));
  unsetenv("FOAM_USER_LIBBIN");
  EXPECT_FALSE(is_openfoam_library("libmine.so"));
}

TEST(FoamControl, ListsTheFunctionObjectsThatAreThere) {
  auto d =
      dictionary(times + "functions { p { type probes; libs (sampling); fields (T); } q { type probes; enabled no; } }",
                 "controlDict");
  auto const control = read_control(d, {true, {"probes"}});
  ASSERT_EQ(control.functions.size(), 1U);
  EXPECT_EQ(control.functions[0].name, "p");
  EXPECT_EQ(control.functions[0].dictionary->get<std::vector<std::string>>("fields"), std::vector<std::string>{"T"});
  EXPECT_NO_THROW(d.check_all_read());
}

std::string const schemes_text =
    "ddtSchemes { default Euler; }\ngradSchemes { default Gauss linear; }\ndivSchemes { default none; }\n"
    "laplacianSchemes { default none; laplacian(DT,T) Gauss harmonic orthogonal; }\n"
    "interpolationSchemes { default linear; }\nsnGradSchemes { default orthogonal; }\n";

TEST(FoamSchemes, ReadsDiffusionAndAcceptsTheRest) {
  auto d = dictionary(schemes_text, "fvSchemes");
  auto const schemes = read_schemes(d, "T", "DT");
  EXPECT_EQ(schemes.ddt, "Euler");
  EXPECT_EQ(schemes.interpolation, "harmonic");
  EXPECT_EQ(schemes.sn_grad, "orthogonal");
  EXPECT_NO_THROW(d.check_all_read());
  auto other = dictionary(
      "ddtSchemes { default none; ddt(T) steadyState; } laplacianSchemes { default Gauss linear limited 0.5; }");
  EXPECT_EQ(read_schemes(other, "T", "lambda").ddt, "steadyState");
}

TEST(FoamSchemes, NotesTermsThatNoEquationHas) {
  auto d =
      dictionary("ddtSchemes { default Euler;\nddt(TT) backward; }\n"
                 "laplacianSchemes { default Gauss linear corrected;\nlaplacian(lamda,T) Gauss harmonic corrected;\n"
                 "laplacian(nu,U) Gauss linear corrected; }",
                 "fvSchemes");
  EXPECT_EQ(read_schemes(d, "T", "lambda").notes,
            (std::vector<std::string>{
                "fvSchemes:2: 'ddt(TT)' is used by nobody; did you mean 'ddt(T)'?",
                "fvSchemes:4: 'laplacian(lamda,T)' is used by nobody; did you mean 'laplacian(lambda,T)'?",
                "fvSchemes:5: 'laplacian(nu,U)' is used by nobody"}));
  auto plain = dictionary(schemes_text, "fvSchemes");
  EXPECT_TRUE(read_schemes(plain, "T", "DT").notes.empty());
}

TEST(FoamSchemes, ReadsPatternsAndTellsOfThoseThatNobodyReads) {
  auto d = dictionary(
      "ddtSchemes { default none;\n\"ddt.*\" backward;\n\"grad.*\" x; }\nlaplacianSchemes { \"lap.*\" Gauss linear "
      "corrected; }",
      "fvSchemes");
  auto const schemes = read_schemes(d, "T", "DT");
  EXPECT_EQ(schemes.ddt, "backward");
  EXPECT_EQ(schemes.notes, std::vector<std::string>{"fvSchemes:3: 'grad.*' is used by nobody"});
}

TEST(FoamSchemes, RefusesOthersByName) {
  auto const error = [](std::string const& text) {
    return error_of([&] {
      auto d = dictionary(text, "fvSchemes");
      read_schemes(d, "T", "DT");
    });
  };
  std::string const laplacian = "laplacianSchemes { default Gauss linear corrected; }";
  EXPECT_EQ(error("ddtSchemes { default bounded; }\n" + laplacian),
            "fvSchemes:1: entry 'default': ddt scheme 'bounded' is not supported, supported: Euler CrankNicolson "
            "backward steadyState");
  EXPECT_EQ(
      error("ddtSchemes { default CrankNicolson; }\n" + laplacian),
      "fvSchemes:1: entry 'default': CrankNicolson has no coefficient, expected 'CrankNicolson PSI', PSI from 0 to 1");
  EXPECT_EQ(error("ddtSchemes { default none; }\n" + laplacian),
            "fvSchemes:1: no scheme for 'ddt(T)': the default is none");
  EXPECT_EQ(error("ddtSchemes { default Euler; }\nlaplacianSchemes { default Gauss cubic corrected; }"),
            "fvSchemes:2: entry 'default': interpolation 'cubic' is not supported, supported: harmonic linear");
  EXPECT_EQ(error("ddtSchemes { default Euler; }\nlaplacianSchemes { default Gauss linear faceCorrected; }"),
            "fvSchemes:2: entry 'default': snGrad scheme 'faceCorrected' is not supported, supported: orthogonal "
            "corrected uncorrected "
            "limited; did you mean 'corrected'?");
  EXPECT_EQ(error("ddtSchemes { default Euler; }\nlaplacianSchemes { default Gauss; }"),
            "fvSchemes:2: entry 'default' is 'Gauss', expected 'Gauss harmonic|linear SNGRAD'");
  for (std::string const wrong : {"5", "corrected 5", "x"})
    EXPECT_NE(error("ddtSchemes { default Euler; }\nlaplacianSchemes { default Gauss harmonic limited " + wrong + "; }")
                  .find("fvSchemes:2: entry 'default': the coefficient of limited is "),
              std::string::npos)
        << wrong;
  for (std::string const right : {"0.5", "corrected 0.33", "1"})
    EXPECT_EQ(
        error("ddtSchemes { default Euler; }\nlaplacianSchemes { default Gauss harmonic limited " + right + "; }"), "")
        << right;
}

}  // namespace
}  // namespace tessera::tests
